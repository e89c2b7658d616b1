// Validation: everything in a BlockNode that Davit refuses to carry out, without touching the
// running node.
//
//   if (auto problems = validate(node); !problems.empty()) …   // condition ConfigurationInvalid
//
// What the schema refuses already is repeated where an object may have come past it. What needs the
// cluster (claims, names) is checked by volumes.hpp and names.hpp. Pure; any thread.
#pragma once

#include <vector>

#include "operands/blocknode/problem.hpp"
#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

[[nodiscard]] std::vector<Problem> validate(const BlockNode& node);

// Its parts, in the order in which they are reported.
using Problems = std::vector<Problem>;
void check_version(const BlockNodeSpec& spec, Problems& problems);
void check_storage(const BlockNodeSpec& spec, Problems& problems);
void check_resources(const BlockNodeSpec& spec, Problems& problems);
// Settings that Davit sets itself: version, ports, the paths of the volumes.
void check_owned_settings(const BlockNodeSpec& spec, Problems& problems);
void check_java_options(const BlockNodeSpec& spec, Problems& problems);
void check_memory(const BlockNodeSpec& spec, Problems& problems);

}  // namespace davit::blocknode
