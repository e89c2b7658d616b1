// Snapshot: everything one pass over a BlockNode knows, as a value. What `plan` and `status` are
// pure functions of. Made by reconcile.cpp from informer stores and the last Observation. No I/O;
// any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "operands/blocknode/build.hpp"
#include "operands/blocknode/observation.hpp"
#include "operands/blocknode/volumes.hpp"

namespace davit::blocknode {

// How this Davit is set up. The same for all nodes.
struct Settings {
  std::string default_repository = "ghcr.io/hiero-ledger/hiero-block-node";
  std::string davit_image = "davit:latest";
  // How long every check must pass before Ready is True.
  Duration hold{std::chrono::seconds(60)};
  // Heights and use alone are written to status at most this often.
  Duration status_interval{std::chrono::minutes(5)};
  // A connected publisher without a new block for this long: StandsStill. Probing adds at most 10
  // s.
  Duration stand_still{std::chrono::seconds(20)};
  Duration publishers_lost{std::chrono::minutes(5)};
};

// A kind of child that may be out of sight because Davit may not list it.
struct Sight {
  bool synced = false;
  std::optional<Error> error;  // why not, or why it is stale
};

// Another node of the same disruption group, in any namespace.
struct GroupMember {
  ObjectKey key;
  bool down = false;  // its pod is not ready, or about to be deleted by us
};

// A failed action of an earlier pass that waits for its next attempt, or of this pass.
struct Failure {
  std::string action;  // "apply services/bn1"
  Error error;
};

// A disruption budget whose group has no member left in the namespace, as it was read.
struct StaleBudget {
  ObjectKey key;
  Uid uid;
  ResourceVersion version;
};

struct Snapshot {
  BlockNode node;
  std::vector<Problem> problems;  // of the spec alone
  std::string java_opts;
  std::map<std::string, Sight> sights;  // by Resource::plural
  runtime::Object statefulset;
  runtime::Object pod;
  std::vector<Claim> claims;
  std::map<std::string, runtime::Object> live_claims;  // by claim name
  runtime::Object client_service;                      // for the endpoint
  // BlockNodes of the node's group and namespace, itself included; other groups' budgets without
  // members.
  std::vector<Member> budget_members;
  std::vector<StaleBudget> stale_budgets;
  std::vector<GroupMember> group;  // the others
  // Reclaim policy of bound volumes, as last read; absent: not read yet.
  std::map<std::string, std::string> reclaim_policies;
  std::map<std::string, Error> reclaim_errors;
  std::map<std::string, std::string> claim_notes;  // by claim: the last Event about it
  std::vector<Failure> failures;
  Observation observation;
  // Since when the current reason of Ready holds in this process, and how long Stalled waits on it.
  std::string accept_height;  // annotation
  Monotonic now;
  WallTime wall;

  // Made so lately that what it lacks is no trouble yet. False when the clocks disagree.
  [[nodiscard]] bool is_new(const json::object& object) const;
  [[nodiscard]] bool sees(const kube::Resource& resource) const {
    const auto sight = sights.find(std::string(resource.plural));
    return sight != sights.end() && sight->second.synced;
  }
};

}  // namespace davit::blocknode
