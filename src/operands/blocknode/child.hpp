// The head of a child object: apiVersion, kind, metadata with labels and owner.
//
// Owner references follow policies.deletion: under Orphan a child has none, so that the garbage
// collector leaves it running when the BlockNode goes; claims have one only under Delete. Pure; any
// thread.
#pragma once

#include <map>
#include <string>

#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

[[nodiscard]] json::object to_json(const std::map<std::string, std::string>& map);
[[nodiscard]] json::object owner_reference(const ObjectKey& key, const Uid& uid, bool controller);
[[nodiscard]] json::object child(const BlockNode& node, const kube::Resource& resource,
                                 std::string name);

}  // namespace davit::blocknode
