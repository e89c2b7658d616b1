// Cells of built-in kinds that are more than a path, for builtin_columns.cpp. Pure.
#pragma once

#include "sim/serve/table.hpp"

namespace davit::sim {

// What `kubectl get pods` says of a pod: containers ready, a word for its state, restarts.
struct PodSummary {
  std::string ready, status, restarts;
};
[[nodiscard]] PodSummary summarise_pod(const json::object& pod, WallTime now);

// "a=b,c=d", "<none>"
[[nodiscard]] std::string labels_text(const json::object* labels);
// Names and images of the containers of a pod specification, comma-separated.
[[nodiscard]] std::string container_names(const json::object& workload);
[[nodiscard]] std::string container_images(const json::object& workload);
// "RWO,ROX"
[[nodiscard]] std::string access_modes(const json::array* modes);
// "80/TCP,443:30443/TCP", "<none>"
[[nodiscard]] std::string port_list(const json::object& service);
[[nodiscard]] std::string external_address(const json::object& service);
[[nodiscard]] std::string node_state(const json::object& node);
[[nodiscard]] std::string node_roles(const json::object& node);
[[nodiscard]] std::string node_address(const json::object& node, std::string_view type);
[[nodiscard]] std::string job_state(const json::object& job);

}  // namespace davit::sim
