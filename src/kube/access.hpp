// Access: what a controller does to which resource, and why: the one source of Davit's RBAC.
//
//   inline constexpr Access kVolumesAccess[] = {
//       {kPersistentVolumeClaims, "", Verb::kGet | Verb::kCreate | Verb::kPatch, "grow volumes"},
//       {kStatefulSets, "status", Verb::kGet, "see the pod's progress"},
//   };
//
// Tables are merged into rules for a Role or ClusterRole (sorted, minimal, no wildcards), enforced
// by the simulator, and asked for at start, so that a missing permission is told in plain words.
// rbac_rules is pure; find_missing runs on the Client's thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.hpp"

namespace davit::kube {

enum class Verb : unsigned {
  kNone = 0,
  kGet = 1,
  kList = 2,
  kWatch = 4,
  kCreate = 8,
  kUpdate = 16,
  kPatch = 32,
  kDelete = 64,
};

[[nodiscard]] constexpr Verb operator|(Verb a, Verb b) {
  return static_cast<Verb>(static_cast<unsigned>(a) | static_cast<unsigned>(b));
}
[[nodiscard]] constexpr bool has(Verb set, Verb verb) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(verb)) != 0;
}
inline constexpr Verb kReadAndWatch = Verb::kGet | Verb::kList | Verb::kWatch;

// "create", "get", …, sorted.
[[nodiscard]] std::vector<std::string_view> verb_names(Verb verbs);

struct Access {
  Resource resource;
  std::string_view subresource;  // "status", "scale", "eviction"; usually empty
  Verb verbs = Verb::kNone;
  std::string_view why;   // completes "needed to …"
  std::string_view name;  // only the object of that name; not with list, watch or create
};

using AccessTable = std::span<const Access>;

// The `rules` of one role that allows what all the tables ask for, and nothing else.
[[nodiscard]] json::array rbac_rules(std::span<const AccessTable> tables);

struct MissingAccess {
  Access access;
  std::string_view verb;
  std::string ns;  // empty: in all namespaces, or not namespaced

  // "Davit may not patch statefulsets.apps/status in namespace x, which is needed to …"
  [[nodiscard]] std::string describe() const;
};

// Asks the server about every verb of every access (SelfSubjectAccessReview), in `ns` for
// namespaced resources. Fails only when the server cannot be asked.
io::Task<Result<std::vector<MissingAccess>>> find_missing(Client& client,
                                                          std::vector<AccessTable> tables,
                                                          std::string ns);

}  // namespace davit::kube
