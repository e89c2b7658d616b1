// Plan: a pure function from a Snapshot to the actions of one pass.
//
//   Plan plan = make_plan(snapshot, settings);
//   for (const Action& action : plan.actions) fmt::print("{}\n", describe(action));
//
// A spec with problems changes nothing: the children of a running node stay as they were when the
// spec was last good, and a new node gets none. A restart takes the one slot of the disruption
// group, unless the pod is not ready anyway: then there is nothing to lose, and a corrected image
// must take effect. Never fails; any thread.
#pragma once

#include "operands/blocknode/action.hpp"
#include "operands/blocknode/snapshot.hpp"

namespace davit::blocknode {

enum class Restart { kNone, kNow, kWaits };

struct Plan {
  std::vector<Problem> problems;  // of the spec, of its name, and of the spec against its claims
  std::vector<Action> actions;
  std::string form;  // what the pod is pinned to
  bool form_known = true;
  std::string wanted_template;  // digest; empty with problems
  std::string wanted_config;
  Restart restart = Restart::kNone;
  std::vector<std::string> slot_holders;  // who keeps a restart waiting
};

[[nodiscard]] Plan make_plan(const Snapshot& snapshot, const Settings& settings);

}  // namespace davit::blocknode
