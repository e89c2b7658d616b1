// The syntax of names in Kubernetes and what the API server says of a name that breaks it
// (apimachinery pkg/util/validation). Empty: nothing to say. Pure.
#pragma once

#include <string>
#include <string_view>

namespace davit::sim {

[[nodiscard]] std::string dns_label_problem(std::string_view name);
[[nodiscard]] std::string dns_subdomain_problem(std::string_view name);
// Label and annotation keys, finalizers.
[[nodiscard]] std::string qualified_name_problem(std::string_view name);
[[nodiscard]] std::string label_value_problem(std::string_view value);
[[nodiscard]] std::string config_key_problem(std::string_view key);
// Of RBAC kinds.
[[nodiscard]] std::string path_segment_problem(std::string_view name);

}  // namespace davit::sim
