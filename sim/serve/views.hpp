// Other shapes of what is stored: core/v1 Events of events.k8s.io ones, Scale of a workload. Pure.
#pragma once

#include <optional>
#include <string>

#include "sim/api_error.hpp"
#include "wire/json.hpp"

namespace davit::sim {

// As the API server converts an Event of events.k8s.io/v1 to core v1.
[[nodiscard]] json::object core_event(const json::object& event);

// autoscaling/v1 Scale of a StatefulSet, Deployment or ReplicaSet.
[[nodiscard]] json::object scale_of(const json::object& workload);
// The merge patch on the workload that a Scale, or a merge patch of one, means.
[[nodiscard]] Answer<json::object> patch_of_scale(const json::object& scale);

}  // namespace davit::sim
