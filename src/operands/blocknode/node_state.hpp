// NodeState: what the controller remembers of one BlockNode between passes, in memory only. All of
// it can be found out again: nothing here decides what is right, only what was tried and asked
// lately.
//
// Shared with the round of questions under way, which may outlive the BlockNode. One thread.
#pragma once

#include <map>
#include <string>

#include "operands/blocknode/status.hpp"

namespace davit::blocknode {

// A failed action, tried again later: 1 s doubling to 5 min, 30 s for a missing permission, or what
// the server asks for. Time is what keeps a refused change from becoming a hot loop.
struct Backoff {
  Error error;
  int failures = 0;
  Monotonic next;
};

struct NodeState {
  Observation observation;
  Memory memory;
  bool asking = false;                                  // a round of questions is under way
  bool noting = false;                                  // Events about claims are being read
  std::map<std::string, Backoff> backoffs;              // by describe(action)
  std::map<std::string, std::string> reclaim_policies;  // by volume
  std::map<std::string, Error> reclaim_errors;
  std::map<std::string, std::string> claim_notes;
  std::optional<Monotonic> noted_at;
};

[[nodiscard]] Backoff back_off(const Backoff* before, Error error, Monotonic now);

}  // namespace davit::blocknode
