// Volumes: which claims a node has, which must be made, grown or adopted, and what forbids it.
//
// Q: Why does Davit create the claims, and not the StatefulSet? A: So that they can grow and keep
//    deterministic names; a re-created BlockNode finds its data again.
// Q: When has a claim an owner? A: Only under policies.deletion Delete: then the garbage collector
// removes it
//    with the BlockNode, and no finalizer is needed.
// Q: Is a claim ever shrunk or deleted by Davit? A: No. A smaller size is a Problem, and nothing
// changes. Q: Somebody else's claim has the name? A: kForeign: it is named and left alone. A claim
// of an earlier
//    BlockNode of the same namespace, name and network is adopted; davit-start checks the data
//    inside.
//
// Pure functions over cached claims; any thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "operands/blocknode/pod_volumes.hpp"
#include "operands/blocknode/problem.hpp"
#include "runtime/store.hpp"

namespace davit::blocknode {

enum class ClaimState {
  kAbsent,       // to be created
  kMissing,      // an existingClaim that is not there
  kForeign,      // has our name, but is not ours
  kTerminating,  // being deleted
  kPending,
  kBound,
  kLost,
};

struct Claim {
  const VolumeLayout* layout = nullptr;
  std::string name;
  ClaimState state = ClaimState::kAbsent;
  bool made_by_davit = false;  // not an existingClaim
  std::string storage_class;   // as bound; empty: none or unknown
  std::string volume;          // name of the PersistentVolume, when bound
  std::string requested;       // spec.resources.requests.storage
  std::string capacity;        // status.capacity.storage
  bool growing = false;        // requested more than there is
  std::string note;            // why it is foreign, or the kubelet's word on a failed growth
};

using ClaimLookup = std::function<runtime::Object(const std::string& name)>;

// Borrows from the static layout only.
[[nodiscard]] std::vector<Claim> look_at_claims(const BlockNode& node, const ClaimLookup& lookup);

// Of the spec against what exists: a smaller size, another storage class.
[[nodiscard]] std::vector<Problem> claim_problems(const BlockNode& node,
                                                  const std::vector<Claim>& claims);

[[nodiscard]] json::object build_claim(const BlockNode& node, const VolumeLayout& layout);

// What a merge patch must change on an existing claim of ours; empty: nothing. Sizes only grow.
struct ClaimChange {
  json::object patch;
  bool grows = false;
  bool adopts = false;  // it was left by an earlier BlockNode
};
[[nodiscard]] ClaimChange claim_change(const BlockNode& node, const Claim& claim,
                                       const json::object& live);

}  // namespace davit::blocknode
