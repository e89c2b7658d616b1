#include "sim/builtin.hpp"

#include <algorithm>

#include "sim/builtin_rules.hpp"

namespace davit::sim {

namespace {

struct Traits {
  bool status = false;
  bool generation = false;
  DefaultsHook defaults = nullptr;
  ValidateHook validate = nullptr;
  PrepareHook prepare = nullptr;
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
  type.prepare = traits.prepare;
  return type;
}

constexpr kube::Resource kClusterRoles{"rbac.authorization.k8s.io", "v1", "ClusterRole",
                                       "clusterroles", false};
constexpr kube::Resource kClusterRoleBindings{"rbac.authorization.k8s.io", "v1",
                                              "ClusterRoleBinding", "clusterrolebindings", false};
constexpr kube::Resource kRoles{"rbac.authorization.k8s.io", "v1", "Role", "roles"};
constexpr kube::Resource kRoleBindings{"rbac.authorization.k8s.io", "v1", "RoleBinding",
                                       "rolebindings"};
constexpr kube::Resource kResourceQuotas{"", "v1", "ResourceQuota", "resourcequotas"};
constexpr kube::Resource kReplicaSets{"apps", "v1", "ReplicaSet", "replicasets"};

}  // namespace

std::vector<ResourceType> builtin_types() {
  std::vector<ResourceType> types = {
      make(kube::kPods,
           {.status = true, .generation = true, .defaults = default_pod, .prepare = prepare_pod}),
      make(kube::kServices, {.status = true,
                             .defaults = default_service,
                             .validate = validate_service,
                             .prepare = prepare_service}),
      make(kube::kConfigMaps, {}),
      make(kube::kSecrets, {.defaults = default_secret}),
      make(kube::kServiceAccounts, {}),
      make(kube::kPersistentVolumeClaims, {.status = true,
                                           .defaults = default_claim,
                                           .validate = validate_claim,
                                           .prepare = prepare_claim}),
      make(kube::kPersistentVolumes,
           {.status = true, .defaults = default_volume, .prepare = prepare_volume}),
      make(kube::kNodes, {.status = true, .prepare = prepare_node}),
      make(kube::kNamespaces,
           {.status = true, .defaults = default_namespace, .prepare = prepare_namespace}),
      make(kube::kStatefulSets, {.status = true,
                                 .generation = true,
                                 .defaults = default_stateful_set,
                                 .validate = validate_stateful_set}),
      make(kube::kDaemonSets, {.status = true,
                               .generation = true,
                               .defaults = default_daemon_set,
                               .prepare = prepare_daemon_set}),
      make(kube::kDeployments,
           {.status = true, .generation = true, .defaults = default_deployment}),
      make(kReplicaSets, {.status = true, .generation = true, .defaults = default_replica_set}),
      make(kube::kJobs,
           {.status = true, .generation = true, .defaults = default_job, .prepare = prepare_job}),
      make(kube::kPodDisruptionBudgets, {.status = true, .generation = true}),
      make(kube::kStorageClasses, {.defaults = default_storage_class}),
      make(kResourceQuotas, {.status = true}),
      make(kube::kEvents, {}),
      make(kube::kLeases, {}),
      make(kube::kCustomResourceDefinitions, {.status = true, .generation = true}),
      make(kClusterRoles, {}),
      make(kClusterRoleBindings, {}),
      make(kRoles, {}),
      make(kRoleBindings, {}),
  };
  types.front().graceful = true;
  for (ResourceType& type : types) {
    const auto is_one_of = [&](std::initializer_list<std::string_view> plurals) {
      return std::ranges::find(plurals, type.plural) != plurals.end();
    };
    type.creates_on_update = is_one_of({"leases", "services", "events", "roles", "rolebindings",
                                        "clusterroles", "clusterrolebindings"});
    type.needs_version = is_one_of({"leases", "poddisruptionbudgets", "customresourcedefinitions"});
    type.orphans = type.plural == "jobs";
    type.annotations_count = type.plural == "deployments";
    type.returns_deleted =
        is_one_of({"pods", "services", "persistentvolumes", "persistentvolumeclaims", "namespaces",
                   "serviceaccounts", "storageclasses", "resourcequotas"});
  }
  return types;
}

}  // namespace davit::sim
