// Random scripts over the kinds of kinds.yaml with `random: true`: two names, three managers, every
// verb; a watch from the beginning is read at the end. The same seed gives the same script.
#pragma once

#include <cstdint>
#include <functional>

#include "sim/differential/script.hpp"

namespace davit::sim::differential {

[[nodiscard]] Script random_script(const Kinds& kinds, std::uint64_t seed);

}  // namespace davit::sim::differential
