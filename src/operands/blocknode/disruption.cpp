// One PodDisruptionBudget per disruption group and namespace: at most one pod of the group is
// evicted at a time.
//
// Q: Who owns it? A: Every BlockNode of the group in the namespace, none as controller: the garbage
//    collector removes it with the last of them. With an orphaned member it has no owner, since
//    that member's pod is to outlive its BlockNode and stays protected.
// Q: Two nodes write the same object? A: Both compute the same content from the same cache, so the
// second
//    finds nothing to do.
// Q: Why AlwaysAllow? A: A pod that is not ready protects nothing, and must not block a drain.
#include <algorithm>

#include "operands/blocknode/build.hpp"
#include "operands/blocknode/child.hpp"
#include "operands/blocknode/names.hpp"

namespace davit::blocknode {

json::object build_disruption_budget(std::vector<Member> members) {
  std::ranges::sort(members, {}, &Member::key);
  const std::string& group = members.front().group;
  json::object metadata{{"name", disruption_budget_name(group)},
                        {"namespace", members.front().key.ns},
                        {"labels", json::object{{"app.kubernetes.io/name", "block-node"},
                                                {"app.kubernetes.io/part-of", "hiero"},
                                                {kManagedByLabel, kManagedByDavit},
                                                {kGroupLabel, group}}}};
  if (std::ranges::none_of(members, &Member::orphan)) {
    json::array owners;
    for (const Member& member : members) {
      owners.push_back(owner_reference(member.key, member.uid, false));
    }
    metadata["ownerReferences"] = std::move(owners);
  }
  return {{"apiVersion", kube::kPodDisruptionBudgets.api_version()},
          {"kind", kube::kPodDisruptionBudgets.kind},
          {"metadata", std::move(metadata)},
          {"spec", json::object{{"maxUnavailable", 1},
                                {"selector",
                                 json::object{{"matchLabels", json::object{{kGroupLabel, group}}}}},
                                {"unhealthyPodEvictionPolicy", "AlwaysAllow"}}}};
}

}  // namespace davit::blocknode
