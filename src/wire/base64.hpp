// Base64 (RFC 4648 section 4), as Kubernetes has it in Secrets and kubeconfig files.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace davit::wire {

[[nodiscard]] std::string base64_encode(std::string_view bytes);
// Line breaks and blanks are skipped, padding may be missing; anything else odd is kInvalid.
[[nodiscard]] Result<std::string> base64_decode(std::string_view text);

}  // namespace davit::wire
