// What the simulated controllers read in objects: conditions, claims of pods, owner references.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "sim/operations.hpp"

namespace davit::sim {

[[nodiscard]] inline json::object controller_reference(const json::object& owner) {
  return {{"apiVersion", wire::find_string(owner, "apiVersion")},
          {"kind", wire::find_string(owner, "kind")},
          {"name", kube::key_of(owner).name},
          {"uid", kube::uid_of(owner).value},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

// The items of an array of objects; nothing when there is none.
template <typename Visit>
void for_each_object(const json::object& object, std::string_view path, Visit visit) {
  const json::array* items = wire::find_array(object, path);
  if (!items) return;
  for (const json::value& item : *items) {
    if (const json::object* entry = item.if_object()) visit(*entry);
  }
}

// The names of the claims that a pod mounts.
template <typename Visit>
void for_each_claim(const json::object& pod, Visit visit) {
  for_each_object(pod, "spec.volumes", [&](const json::object& volume) {
    const std::string_view claim = wire::find_string(volume, "persistentVolumeClaim.claimName");
    if (!claim.empty()) visit(claim);
  });
}

// nullptr when absent.
[[nodiscard]] inline const json::object* condition_of(const json::object& object,
                                                      std::string_view type) {
  const json::array* conditions = wire::find_array(object, "status.conditions");
  if (!conditions) return nullptr;
  for (const json::value& condition : *conditions) {
    const json::object* entry = condition.if_object();
    if (entry && wire::find_string(*entry, "type") == type) return entry;
  }
  return nullptr;
}

[[nodiscard]] inline bool condition_is(const json::object& object, std::string_view type,
                                       std::string_view status) {
  const json::object* condition = condition_of(object, type);
  return condition && wire::find_string(*condition, "status") == status;
}

[[nodiscard]] inline bool is_ready(const json::object& pod) {
  return condition_is(pod, "Ready", "True");
}

// Its containers have ended for good: phase Succeeded or Failed.
[[nodiscard]] inline bool is_finished(const json::object& pod) {
  const std::string_view phase = wire::find_string(pod, "status.phase");
  return phase == "Succeeded" || phase == "Failed";
}

[[nodiscard]] inline bool has_finalizer(const json::object& object, std::string_view name) {
  const json::array* finalizers = wire::find_array(object, "metadata.finalizers");
  return finalizers && std::ranges::find(*finalizers, json::value(name)) != finalizers->end();
}

// Of metadata.labels or metadata.annotations; empty when absent.
[[nodiscard]] inline std::string_view text_of(const json::object& object, std::string_view map,
                                              std::string_view name) {
  const json::object* metadata = wire::find_object(object, "metadata");
  const json::object* entries = metadata ? wire::find_object(*metadata, map) : nullptr;
  const json::value* value = entries ? entries->if_contains(name) : nullptr;
  const json::string* text = value ? value->if_string() : nullptr;
  return text ? std::string_view(*text) : std::string_view();
}

// Sets a condition as the built-in kinds have it (lastTransitionTime moves with the status).
// True when anything changed. Empty reason and message are left out.
bool set_condition(json::array& conditions, std::string_view type, std::string_view status,
                   std::string_view reason, std::string_view message, const std::string& now);

}  // namespace davit::sim
