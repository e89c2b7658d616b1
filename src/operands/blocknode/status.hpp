// Status: what Davit says about a BlockNode, a pure function of what was observed.
//
//   StatusUpdate update = make_status(snapshot, plan, memory, settings);
//   if (update.write) …;  memory = update.memory;
//
// Heights and use are volatile: they ride along when something else changes, else at most once per
// settings.status_interval, and not at all when nothing moved. Any thread; never fails.
#pragma once

#include <string>
#include <vector>

#include "operands/blocknode/plan.hpp"
#include "operands/blocknode/verdict.hpp"

namespace davit::blocknode {

// What this process remembers of a node's readiness between passes; empty after a restart of Davit.
struct Memory {
  std::optional<Monotonic> serving_since;
  bool was_unready = false;        // seen by this process
  const Reason* reason = nullptr;  // of Ready, while it is not True
  Monotonic reason_since;
  const Reason* trouble = nullptr;  // as reason, but interludes like Starting do not end it
  Monotonic trouble_since;
};

struct Announcement {
  bool warning = false;
  std::string reason;
  std::string note;
};

struct StatusUpdate {
  BlockNodeStatus status;
  bool write = false;
  Memory memory;
  std::vector<Announcement> events;  // one per condition whose status or reason changed
};

[[nodiscard]] StatusUpdate make_status(const Snapshot& snapshot, const Plan& plan,
                                       const Memory& memory, const Settings& settings);

}  // namespace davit::blocknode
