// Resource: which API a request talks to. The built-in ones Davit uses are declared here once.
#pragma once

#include <string>
#include <string_view>

#include "base/names.hpp"
#include "wire/json.hpp"

namespace davit::kube {

struct Resource {
  std::string_view group;  // empty for the core group
  std::string_view version;
  std::string_view kind;
  std::string_view plural;
  bool namespaced = true;

  [[nodiscard]] std::string api_version() const;  // "v1", "apps/v1"
  // "statefulsets.apps", "pods": the name RBAC, CRDs and messages use.
  [[nodiscard]] std::string qualified() const;
  friend bool operator==(const Resource&, const Resource&) = default;
};

inline constexpr Resource kPods{"", "v1", "Pod", "pods"};
inline constexpr Resource kServices{"", "v1", "Service", "services"};
inline constexpr Resource kConfigMaps{"", "v1", "ConfigMap", "configmaps"};
inline constexpr Resource kSecrets{"", "v1", "Secret", "secrets"};
inline constexpr Resource kServiceAccounts{"", "v1", "ServiceAccount", "serviceaccounts"};
inline constexpr Resource kPersistentVolumeClaims{"", "v1", "PersistentVolumeClaim",
                                                  "persistentvolumeclaims"};
inline constexpr Resource kPersistentVolumes{"", "v1", "PersistentVolume", "persistentvolumes",
                                             false};
inline constexpr Resource kNodes{"", "v1", "Node", "nodes", false};
inline constexpr Resource kNamespaces{"", "v1", "Namespace", "namespaces", false};
inline constexpr Resource kStatefulSets{"apps", "v1", "StatefulSet", "statefulsets"};
inline constexpr Resource kDaemonSets{"apps", "v1", "DaemonSet", "daemonsets"};
inline constexpr Resource kDeployments{"apps", "v1", "Deployment", "deployments"};
inline constexpr Resource kJobs{"batch", "v1", "Job", "jobs"};
inline constexpr Resource kPodDisruptionBudgets{"policy", "v1", "PodDisruptionBudget",
                                                "poddisruptionbudgets"};
inline constexpr Resource kStorageClasses{"storage.k8s.io", "v1", "StorageClass", "storageclasses",
                                          false};
inline constexpr Resource kEvents{"events.k8s.io", "v1", "Event", "events"};
inline constexpr Resource kLeases{"coordination.k8s.io", "v1", "Lease", "leases"};
inline constexpr Resource kCustomResourceDefinitions{
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", false};
inline constexpr Resource kSelfSubjectAccessReviews{
    "authorization.k8s.io", "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews", false};

// Accessors of what every object has. Missing members read as empty.
[[nodiscard]] ObjectKey key_of(const json::object& object);
[[nodiscard]] Uid uid_of(const json::object& object);
[[nodiscard]] ResourceVersion version_of(const json::object& object);
[[nodiscard]] std::int64_t generation_of(const json::object& object);
[[nodiscard]] bool is_deleting(const json::object& object);
// UID of the controlling owner (ownerReferences[] with controller: true); empty if none.
[[nodiscard]] Uid controller_of(const json::object& object);

}  // namespace davit::kube
