// Shrinker: the shortest schedule that still fails, by delta debugging over the steps, then by
// making each step plainer. Deterministic; bounded by the number of tries.
//
//   Schedule small = shrink(schedule, [](const Schedule& s) { return verdict(run(s)) == judge; });
#pragma once

#include <functional>

#include "sim/life/step.hpp"

namespace davit::sim {

using StillFails = std::function<bool(const Schedule&)>;

struct ShrinkReport {
  Schedule schedule;
  std::size_t tries = 0;
};

// `schedule` must fail. `limit`: tries at most.
[[nodiscard]] ShrinkReport shrink(const Schedule& schedule, const StillFails& still_fails,
                                  std::size_t limit = 600);

}  // namespace davit::sim
