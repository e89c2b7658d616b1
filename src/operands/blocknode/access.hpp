// What the BlockNode controller may do, and why: RBAC is generated from this table (rule 11).
//
// Least privilege: no Secrets, no pods/exec, no nodes/proxy. Deletion only of pods (to restart
// them) and of disruption budgets that nobody is left in. Claims and volumes are never deleted.
#pragma once

#include <array>

#include "kube/access.hpp"
#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

inline constexpr kube::Verb kManage =
    kube::kReadAndWatch | kube::Verb::kCreate | kube::Verb::kPatch;

inline constexpr std::array kAccess{
    kube::Access{kBlockNodes, "", kube::kReadAndWatch, "read what users want", {}},
    kube::Access{kBlockNodes, "status", kube::Verb::kPatch, "say how a node is", {}},
    kube::Access{kube::kStatefulSets, "", kManage, "run the server", {}},
    kube::Access{kube::kServices, "", kManage, "give clients an address", {}},
    kube::Access{kube::kConfigMaps, "", kManage, "hand over the configuration", {}},
    kube::Access{kube::kServiceAccounts, "", kManage, "run the pod without any permission", {}},
    kube::Access{kube::kPersistentVolumeClaims, "", kManage, "make, adopt and grow volumes", {}},
    kube::Access{kube::kPodDisruptionBudgets,
                 "",
                 kManage | kube::Verb::kDelete,
                 "let one node of a group be evicted at a time",
                 {}},
    kube::Access{kube::kPods,
                 "",
                 kube::kReadAndWatch | kube::Verb::kDelete,
                 "see the server, and restart it for a change",
                 {}},
    kube::Access{kube::kPersistentVolumes,
                 "",
                 kube::Verb::kGet | kube::Verb::kList | kube::Verb::kPatch,
                 "keep the volumes of a node when their claims go, and find them again",
                 {}},
    kube::Access{kube::kEvents,
                 "",
                 kube::Verb::kCreate | kube::Verb::kPatch | kube::Verb::kList,
                 "tell what happened, and why a claim is not bound",
                 {}},
};

}  // namespace davit::blocknode
