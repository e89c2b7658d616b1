// The status a kubelet writes for a pod, as pkg/kubelet/kubelet_pods.go and status/generate.go make
// it: phase, conditions, container statuses. Pure.
#pragma once

#include "sim/controllers/pod_life.hpp"

namespace davit::sim {

// `now` stamps conditions whose status moved; those of others are kept.
[[nodiscard]] json::object pod_status(const PodLife& life, const std::string& now);

// "Pending", "Running", "Succeeded" or "Failed".
[[nodiscard]] std::string_view pod_phase(const PodLife& life);

// Never, OnFailure, Always; a sidecar's is Always, an init container's at most OnFailure.
[[nodiscard]] bool restarts(const PodLife& life, const ContainerLife& container);

// "BestEffort", "Burstable" or "Guaranteed".
[[nodiscard]] std::string_view quality_class(const json::object& pod);

}  // namespace davit::sim
