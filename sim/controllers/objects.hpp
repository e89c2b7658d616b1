// What the simulated controllers share: copies of a kind's objects, and owner references.
#pragma once

#include <vector>

#include "sim/operations.hpp"

namespace davit::sim {

// A snapshot, so that the store may change while it is walked.
[[nodiscard]] inline std::vector<Object> objects_of(const Operations& operations,
                                                    const kube::Resource& resource) {
  std::vector<Object> objects;
  for (const auto& [key, object] : operations.store().all(*operations.registry().find(resource))) {
    objects.push_back(object);
  }
  return objects;
}

[[nodiscard]] inline Object object_at(const Operations& operations, const kube::Resource& resource,
                                      const ObjectKey& key) {
  return operations.store().get(*operations.registry().find(resource), key);
}

[[nodiscard]] inline json::object controller_reference(const json::object& owner) {
  return {{"apiVersion", wire::find_string(owner, "apiVersion")},
          {"kind", wire::find_string(owner, "kind")},
          {"name", kube::key_of(owner).name},
          {"uid", kube::uid_of(owner).value},
          {"controller", true},
          {"blockOwnerDeletion", true}};
}

[[nodiscard]] inline bool condition_is(const json::object& object, std::string_view type,
                                       std::string_view status) {
  const json::array* conditions = wire::find_array(object, "status.conditions");
  if (!conditions) return false;
  for (const json::value& condition : *conditions) {
    if (wire::find_string(condition.as_object(), "type") == type) {
      return wire::find_string(condition.as_object(), "status") == status;
    }
  }
  return false;
}

}  // namespace davit::sim
