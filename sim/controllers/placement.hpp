// Placement: which node takes a pod: the predicates the scheduler and the DaemonSet controller
// share. Pure.
#pragma once

#include <string_view>

#include "wire/json.hpp"

namespace davit::sim {

// `effect` is NoSchedule or NoExecute; NoSchedule also asks for NoExecute taints, as the scheduler
// does. Tolerations are an array of a pod spec or null.
[[nodiscard]] bool tolerates_taints(const json::object& node, const json::array* tolerations,
                                    bool only_no_execute = false);
// spec.nodeSelector and spec.affinity.nodeAffinity.required…; `pod` has a spec.
[[nodiscard]] bool selects_node(const json::object& pod, const json::object& node);
// A NodeSelector ({"nodeSelectorTerms": […]}) as in a PersistentVolume's
// spec.nodeAffinity.required.
[[nodiscard]] bool node_selector_matches(const json::object& selector, const json::object& node);
// The toleration's seconds for a NoExecute taint: the smallest of those that match; nullopt: none
// matches; -1: for ever.
[[nodiscard]] std::optional<std::int64_t> toleration_seconds(const json::object& taint,
                                                             const json::array* tolerations);

}  // namespace davit::sim
