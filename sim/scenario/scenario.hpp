// Scenario: a life with expectations, as a file that a reviewer reads without C++.
//
//   # A setting that needs a restart replaces the pod, once.
//   hold: 60s
//   items:
//   - {at: 0s, do: create, object: blocknodes/bn1}
//   - {at: 3m, mark: true}
//   - {at: 3m, do: restart, object: blocknodes/bn1}
//   - at: 6m
//     expect:
//       conditions: {bn1: {Ready: True/Serving}}
//       replaced: [pods/bn1-0]
//
// Steps are those of step.hpp. `mark` remembers who is who and counts from there. What can be
// expected is in expect.hpp. The judges watch every scenario as well.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "sim/judges/judge.hpp"
#include "sim/life/step.hpp"

namespace davit::sim {

struct Mark {};

struct Expectation {
  json::object what;
};

struct Item {
  Duration at{0};
  std::variant<Step, Mark, Expectation> what;
};

struct Scenario {
  std::string title;  // the comment at the top of the file
  WorldOptions world;
  bool crashes = false;  // davit-sim scenario adds a crash after each of Davit's writes, in turn
  std::vector<Item> items;
};

// kInvalid names the item and what is wrong with it.
[[nodiscard]] Result<Scenario> scenario_from_yaml(std::string_view text);

struct Crash {
  unsigned after_write = 0;   // of Davit, counted from the beginning; 0: none
  std::uint64_t at_turn = 0;  // callback of the world; 0: none
};

struct ScenarioOutcome {
  std::vector<std::string> misses;  // expectations that did not hold, each with its time
  std::vector<Violation> violations;
  std::size_t writes = 0;   // by Davit
  std::uint64_t turns = 0;  // callbacks, before the end was judged

  [[nodiscard]] bool good() const { return misses.empty() && violations.empty(); }
  [[nodiscard]] std::string describe() const;  // a line each
};

// With a crash only the end is looked at: the last expectation, in what a crash may not change
// (conditions, objects and their fields), once the world has settled.
[[nodiscard]] ScenarioOutcome run(const Scenario& scenario, const Crash& crash = {});

}  // namespace davit::sim
