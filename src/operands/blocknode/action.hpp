// Action: one change a plan asks for, as a value: printable, comparable by its text, dry-runnable.
#pragma once

#include <string>
#include <variant>

#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

// Server-side apply of a whole child; skipped by the Applier when nothing differs.
struct Apply {
  kube::Resource resource;
  json::object object;
};
struct CreateClaim {
  json::object claim;
};
// Merge patch over the version that was read.
struct PatchClaim {
  ObjectKey key;
  json::object patch;
  std::string why;  // "grow to 2Gi", "adopt", "keep on deletion"
  bool grows = false;
};
// Sets persistentVolumeReclaimPolicy: Retain, or back to what it was before.
struct ProtectVolume {
  std::string volume;
  bool retain = true;
};
// Deletes exactly this pod; the StatefulSet makes the next one.
struct RestartPod {
  ObjectKey key;
  Uid uid;
  std::string why;
};
// A disruption budget whose group has no member left in its namespace; exactly the one that was
// read.
struct RemoveBudget {
  ObjectKey key;
  Uid uid;
  ResourceVersion version;
};

using Action =
    std::variant<Apply, CreateClaim, PatchClaim, ProtectVolume, RestartPod, RemoveBudget>;

// "apply services/bn1", "grow to 2Gi persistentvolumeclaims/bn1-live".
[[nodiscard]] std::string describe(const Action& action);
// The resource it writes.
[[nodiscard]] kube::Resource resource_of(const Action& action);
// A failure ends the pass: what follows in the plan builds on it. The rest stand alone.
[[nodiscard]] bool is_essential(const Action& action);

}  // namespace davit::blocknode
