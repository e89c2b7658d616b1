#include "operands/blocknode/child.hpp"

#include "operands/blocknode/names.hpp"

namespace davit::blocknode {

json::object to_json(const std::map<std::string, std::string>& map) {
  json::object object;
  for (const auto& [key, value] : map) object[key] = value;
  return object;
}

json::object owner_reference(const ObjectKey& key, const Uid& uid, bool controller) {
  json::object owner{{"apiVersion", kBlockNodes.api_version()},
                     {"kind", kBlockNodes.kind},
                     {"name", key.name},
                     {"uid", uid.value}};
  if (controller) owner["controller"] = true;
  return owner;
}

json::object child(const BlockNode& node, const kube::Resource& resource, std::string name) {
  json::object metadata{{"name", std::move(name)},
                        {"namespace", node.key.ns},
                        {"labels", to_json(child_labels(node.key))}};
  if (node.spec.policies.deletion != "Orphan") {
    metadata["ownerReferences"] = json::array{owner_reference(node.key, node.uid, true)};
  }
  return {{"apiVersion", resource.api_version()},
          {"kind", resource.kind},
          {"metadata", std::move(metadata)}};
}

}  // namespace davit::blocknode
