// Runner: lives a schedule from its beginning to the silence after it, before the judges.
//
//   Outcome outcome = run(generate(7));
//   outcome.violations.empty()
//
// A pure function of schedule and options: no clock, no chance but the schedule's seed. Never
// throws: an exception of the product or of the simulator is a violation ("NoException").
#pragma once

#include <string>
#include <vector>

#include "sim/judges/judge.hpp"
#include "sim/life/step.hpp"

namespace davit::sim {

class Trace;

struct RunOptions {
  Trace* trace = nullptr;           // listens, if given
  unsigned crash_at_write = 0;      // davit-0 is killed after its n-th write; 0: no
  std::uint64_t crash_at_turn = 0;  // every Davit is killed after the n-th callback; 0: no
};

struct Outcome {
  std::vector<Violation> violations;
  std::size_t requests = 0;  // of Davit
  std::size_t writes = 0;    // of Davit
  std::size_t faults = 0;    // requests spoilt, and other steps that are no user's
  std::size_t crashes = 0;
  std::size_t starts = 0;
  std::uint64_t turns = 0;      // callbacks until faults stopped
  std::size_t life_writes = 0;  // of davit-0 until faults stopped
  std::uint64_t digest = 0;     // of every request, in order: equal for equal lives
  Duration time{0};             // virtual
};

[[nodiscard]] Outcome run(const Schedule& schedule, const RunOptions& options = {});

// The judge of the first violation; empty: none.
[[nodiscard]] std::string verdict(const Outcome& outcome);

}  // namespace davit::sim
