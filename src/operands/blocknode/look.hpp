// Looking: from caches and memory to a Snapshot. Reads only; never suspends, so what it returns is
// one moment. On the loop's thread.
#pragma once

#include "operands/blocknode/fleet.hpp"
#include "operands/blocknode/informers.hpp"
#include "operands/blocknode/node_state.hpp"

namespace davit::blocknode {

// `object`: the BlockNode as cached. One that cannot be read yields a Snapshot with that as its
// problem.
[[nodiscard]] Snapshot look(const json::object& object, const Informers& informers,
                            const Fleet& fleet, const NodeState& state, const Clock& clock);

// The caches this node's decisions rest on have seen our own last writes (rule 2).
[[nodiscard]] bool caches_are_fresh(const ObjectKey& node, const Informers& informers);

}  // namespace davit::blocknode
