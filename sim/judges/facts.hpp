// Facts: what judges read off the objects of a world, in one place. Pure, but for the looks into
// the store; cheap enough for every change.
#pragma once

#include <string>
#include <string_view>

#include "operands/blocknode/pod_facts.hpp"
#include "sim/judges/judge.hpp"

namespace davit::sim::facts {

[[nodiscard]] inline bool is(const StoredEvent& event, std::string_view plural) {
  return event.type->plural == plural;
}
// "claim hiero/bn1-live" as "persistentvolumeclaims hiero/bn1-live".
[[nodiscard]] std::string name_of(const StoredEvent& event);
// "patch statefulsets.apps hiero/bn1 by davit-0".
[[nodiscard]] std::string name_of(const RequestInfo& info);
// Without the subresource: "pods" of "pods/status".
[[nodiscard]] std::string_view base_resource(const RequestInfo& info);
// Neither a Lease nor an Event nor a review.
[[nodiscard]] bool is_work(const RequestInfo& info);

// Of "davit-3": 3.
[[nodiscard]] unsigned replica_of(std::string_view user);

// The request has been carried out, and the answer was a success.
[[nodiscard]] bool succeeded(const RequestSeen& request);
[[nodiscard]] bool failed(const RequestSeen& request);

// The BlockNode a child belongs to, by its label; null: there is none.
[[nodiscard]] Object node_of(World& world, const json::object& child);
[[nodiscard]] ObjectKey node_key_of(const json::object& child);
[[nodiscard]] std::string_view deletion_policy(const json::object& node);
// The BlockNode's UID among the owners; empty: none.
[[nodiscard]] std::string_view owning_node(const json::object& child);

[[nodiscard]] bool is_ready(const json::object& pod);
// Digest of the template a StatefulSet makes pods from.
[[nodiscard]] std::string_view template_of(const json::object& statefulset);
// "deleted" or "told to end" for the first time by this change.
[[nodiscard]] bool begins_to_go(const StoredEvent& event);

struct ConditionWords {
  std::string_view status, reason, message;
};
// Of status.conditions; empty words: none of that type.
[[nodiscard]] ConditionWords condition(const json::object& object, std::string_view type);
// Status and reason of every condition are the same in both.
[[nodiscard]] bool same_conditions(const json::object& a, const json::object& b);
[[nodiscard]] bool only_volatile(const StoredEvent& event);
// Equal but for resourceVersion and managedFields.
[[nodiscard]] bool only_bookkeeping(const json::object& before, const json::object& after);

}  // namespace davit::sim::facts
