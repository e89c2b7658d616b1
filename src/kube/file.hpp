// Small files that configure a connection: tokens, certificates, kubeconfig.
#pragma once

#include <string>

#include "base/result.hpp"

namespace davit::kube {

// The whole content. kNotFound: no such file; kInvalid: not readable, or larger than 10 MiB.
[[nodiscard]] Result<std::string> read_file(const std::string& path);

}  // namespace davit::kube
