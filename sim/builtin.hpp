// The built-in kinds the simulated API server serves, with the defaults and the immutability rules
// of theirs that Davit can meet. More rows and rules come with the conformance table.
#pragma once

#include <vector>

#include "sim/resource_type.hpp"

namespace davit::sim {

[[nodiscard]] std::vector<ResourceType> builtin_types();

}  // namespace davit::sim
