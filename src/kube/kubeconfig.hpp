// The kubeconfig format (v1 Config of client-go), read from its files.
#pragma once

#include <string>
#include <vector>

#include "kube/config.hpp"

namespace davit::kube {

// Files that do not exist are left out; none exists: kNotFound. `context` empty: current-context.
[[nodiscard]] Result<ClusterConfig> read_kubeconfig(const std::vector<std::string>& paths,
                                                    const std::string& context);

// "https://host[:port][/prefix]" into the first members of `config`; for http:// `tls` is reset.
[[nodiscard]] Status parse_server_url(std::string_view url, ClusterConfig& config);

}  // namespace davit::kube
