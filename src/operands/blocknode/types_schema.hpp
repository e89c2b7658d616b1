// The field tables of BlockNode, and what is made from them at run time: the JSON reader and
// writer.
//
//   Result<BlockNode> node = read_block_node(object);
//   client.apply_status(…, write_status(node->status));
//
// Pure; any thread.
#pragma once

#include "operands/blocknode/types.hpp"
#include "wire/schema.hpp"

namespace davit::wire {

template <>
const Struct& describe<blocknode::NetworkSpec>();
template <>
const Struct& describe<blocknode::VolumeSpec>();
template <>
const Struct& describe<blocknode::StorageSpec>();
template <>
const Struct& describe<blocknode::ResourcesSpec>();
template <>
const Struct& describe<blocknode::ImageSpec>();
template <>
const Struct& describe<blocknode::ExposureSpec>();
template <>
const Struct& describe<blocknode::PoliciesSpec>();
template <>
const Struct& describe<blocknode::BlockNodeSpec>();
template <>
const Struct& describe<blocknode::VolumeStatus>();
template <>
const Struct& describe<blocknode::Condition>();
template <>
const Struct& describe<blocknode::BlockNodeStatus>();

}  // namespace davit::wire

namespace davit::blocknode {

// Of the whole object. A spec that cannot be read is kInvalid, with the path of the first bad
// field. A status that cannot be read counts as empty: everything in it can be rebuilt.
[[nodiscard]] Result<BlockNode> read_block_node(const json::object& object);
// The whole object, without what only the server sets (uid, generation). For samples and tests.
[[nodiscard]] json::object write_block_node(const BlockNode& node);

[[nodiscard]] json::object write_spec(const BlockNodeSpec& spec);
[[nodiscard]] json::object write_status(const BlockNodeStatus& status);

}  // namespace davit::blocknode
