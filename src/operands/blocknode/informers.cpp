#include "operands/blocknode/informers.hpp"

#include "operands/blocknode/names.hpp"

namespace davit::blocknode {

namespace {

runtime::InformerOptions managed(const std::string& ns, std::vector<std::string> projection = {}) {
  return {.ns = ns,
          .label_selector = std::string(kManagedSelector),
          .field_selector = {},
          .projection = std::move(projection)};
}

// What PodFacts and the probes read.
std::vector<std::string> pod_projection() {
  return {"spec.nodeName",
          "spec.containers",
          "spec.initContainers",
          "status.phase",
          "status.reason",
          "status.message",
          "status.podIP",
          "status.conditions",
          "status.containerStatuses",
          "status.initContainerStatuses"};
}

std::vector<std::string> claim_projection() {
  return {"spec.storageClassName", "spec.volumeName", "spec.resources",
          "status.phase",          "status.capacity", "status.conditions"};
}

}  // namespace

Informers::Informers(kube::Client& client, Random& random, const std::string& ns)
    : nodes(client, random, kBlockNodes,
            {.ns = ns, .label_selector = {}, .field_selector = {}, .projection = {}}),
      statefulsets(client, random, kube::kStatefulSets, managed(ns)),
      pods(client, random, kube::kPods, managed(ns, pod_projection())),
      claims(
          client, random, kube::kPersistentVolumeClaims,
          {.ns = ns, .label_selector = {}, .field_selector = {}, .projection = claim_projection()}),
      services(client, random, kube::kServices, managed(ns)),
      configmaps(client, random, kube::kConfigMaps, managed(ns)),
      serviceaccounts(client, random, kube::kServiceAccounts, managed(ns)),
      budgets(client, random, kube::kPodDisruptionBudgets, managed(ns)) {}

std::vector<runtime::Informer*> Informers::children() {
  return {&statefulsets, &pods, &claims, &services, &configmaps, &serviceaccounts, &budgets};
}

std::vector<const runtime::Informer*> Informers::children() const {
  return {&statefulsets, &pods, &claims, &services, &configmaps, &serviceaccounts, &budgets};
}

runtime::Informer* Informers::of(const kube::Resource& resource) {
  for (runtime::Informer* informer : children()) {
    if (informer->resource() == resource) return informer;
  }
  return resource == kBlockNodes ? &nodes : nullptr;
}

}  // namespace davit::blocknode
