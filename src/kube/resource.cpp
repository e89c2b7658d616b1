#include "kube/resource.hpp"

namespace davit::kube {

std::string Resource::api_version() const {
  if (group.empty()) return std::string(version);
  return std::string(group) + "/" + std::string(version);
}

std::string Resource::qualified() const {
  if (group.empty()) return std::string(plural);
  return std::string(plural) + "." + std::string(group);
}

ObjectKey key_of(const json::object& object) {
  return {std::string(wire::find_string(object, "metadata.namespace")),
          std::string(wire::find_string(object, "metadata.name"))};
}

Uid uid_of(const json::object& object) {
  return Uid(std::string(wire::find_string(object, "metadata.uid")));
}

ResourceVersion version_of(const json::object& object) {
  return ResourceVersion(std::string(wire::find_string(object, "metadata.resourceVersion")));
}

std::int64_t generation_of(const json::object& object) {
  return wire::find_int(object, "metadata.generation").value_or(0);
}

bool is_deleting(const json::object& object) {
  return !wire::find_string(object, "metadata.deletionTimestamp").empty();
}

Uid controller_of(const json::object& object) {
  const json::array* owners = wire::find_array(object, "metadata.ownerReferences");
  if (owners == nullptr) return {};
  for (const json::value& owner : *owners) {
    const json::object* reference = owner.if_object();
    if (reference != nullptr && wire::find_bool(*reference, "controller", false)) {
      return Uid(std::string(wire::find_string(*reference, "uid")));
    }
  }
  return {};
}

}  // namespace davit::kube
