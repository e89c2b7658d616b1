// Generator: from a seed to a life: one to three BlockNodes from creation to Ready, edits, growth,
// restarts, an upgrade, deletion and re-creation, with faults and crashes around them; 10 to 20
// virtual minutes. Pure: the same seed gives the same schedule.
#pragma once

#include "sim/life/step.hpp"

namespace davit::sim {

[[nodiscard]] Schedule generate(std::uint64_t seed);

}  // namespace davit::sim
