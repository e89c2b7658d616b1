#include "sim/builtin.hpp"

#include "sim/builtin_rules.hpp"

namespace davit::sim {

namespace {

struct Traits {
  bool status = false;
  bool generation = false;
  DefaultsHook defaults = nullptr;
  ValidateHook validate = nullptr;
};

ResourceType make(const kube::Resource& resource, const Traits& traits) {
  ResourceType type;
  type.group = resource.group;
  type.version = resource.version;
  type.kind = resource.kind;
  type.plural = resource.plural;
  type.namespaced = resource.namespaced;
  type.has_status = traits.status;
  type.has_generation = traits.generation;
  type.defaults = traits.defaults;
  type.validate = traits.validate;
  return type;
}

constexpr kube::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "ClusterRole",
                                       "clusterroles", false};
constexpr kube::Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1",
                                              "ClusterRoleBinding", "clusterrolebindings", false};
constexpr kube::Resource kRoles{"rbac.authorization.k8s.io", "v1", "Role", "roles"};
constexpr kube::Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "RoleBinding",
                                       "rolebindings"};
constexpr kube::Resource kReplicaSets{"apps", "v1", "ReplicaSet", "replicasets"};

}  // namespace

std::vector<ResourceType> builtin_types() {
  std::vector<ResourceType> types = {
      make(kube::kPods, {.status = true, .generation = true, .defaults = default_pod}),
      make(kube::kServices,
           {.status = true, .defaults = default_service, .validate = validate_service}),
      make(kube::kConfigMaps, {}),
      make(kube::kSecrets, {.defaults = default_secret}),
      make(kube::kServiceAccounts, {}),
      make(kube::kPersistentVolumeClaims,
           {.status = true, .defaults = default_claim, .validate = validate_claim}),
      make(kube::kPersistentVolumes, {.status = true, .defaults = default_volume}),
      make(kube::kNodes, {.status = true}),
      make(kube::kNamespaces, {.status = true, .defaults = default_namespace}),
      make(kube::kStatefulSets, {.status = true,
                                 .generation = true,
                                 .defaults = default_stateful_set,
                                 .validate = validate_stateful_set}),
      make(kube::kDaemonSets, {.status = true, .generation = true, .defaults = default_workload}),
      make(kube::kDeployments, {.status = true, .generation = true, .defaults = default_workload}),
      make(kReplicaSets, {.status = true, .generation = true, .defaults = default_workload}),
      make(kube::kJobs, {.status = true, .generation = true, .defaults = default_workload}),
      make(kube::kPodDisruptionBudgets, {.status = true, .generation = true}),
      make(kube::kStorageClasses, {.defaults = default_storage_class}),
      make(kube::kEvents, {}),
      make(kube::kLeases, {}),
      make(kube::kCustomResourceDefinitions, {.status = true, .generation = true}),
      make(kClusterRoles, {}),
      make(kClusterRoleBindings, {}),
      make(kRoles, {}),
      make(kRoleBindings, {}),
  };
  types.front().graceful = true;
  return types;
}

}  // namespace davit::sim
