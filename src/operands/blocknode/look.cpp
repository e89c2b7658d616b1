#include "operands/blocknode/look.hpp"

#include "kube/conditions.hpp"
#include "operands/blocknode/heap.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/types_schema.hpp"
#include "operands/blocknode/validation.hpp"

namespace davit::blocknode {

namespace {

constexpr std::string_view kAcceptHeight = "davit.hiero.org/accept-height";

void look_at_node(const json::object& object, Snapshot& snapshot) {
  Result<BlockNode> node = read_block_node(object);
  if (!node) {
    snapshot.node.key = kube::key_of(object);
    snapshot.node.uid = kube::uid_of(object);
    snapshot.node.generation = kube::generation_of(object);
    snapshot.node.deleting = kube::is_deleting(object);
    snapshot.problems.push_back({"spec", node.error().message()});
    return;
  }
  snapshot.node = std::move(*node);
  snapshot.problems = validate(snapshot.node);
  if (snapshot.problems.empty()) snapshot.java_opts = java_options(snapshot.node.spec);
}

void look_at_sights(const Informers& informers, Snapshot& snapshot) {
  for (const runtime::Informer* informer : informers.children()) {
    snapshot.sights[std::string(informer->resource().plural)] =
        Sight{.synced = informer->synced(), .error = informer->error()};
  }
}

bool restart_may_be_due(const Snapshot& snapshot) {
  if (snapshot.pod == nullptr || snapshot.statefulset == nullptr) return false;
  const json::object* annotations =
      wire::find_object(*snapshot.statefulset, "spec.template.metadata.annotations");
  const json::value* wanted =
      annotations == nullptr ? nullptr : annotations->if_contains(kTemplateAnnotation);
  return wanted == nullptr || !wanted->is_string() ||
         wanted->get_string() != annotation_of(*snapshot.pod, kTemplateAnnotation);
}

// Not ready for the kubelet, or said by Davit not to be Ready: the budget is of serving nodes.
bool is_down(const Member& member, const Informers& informers, const Fleet& fleet, Monotonic now) {
  const runtime::Object pod = informers.pods.store().get({member.key.ns, pod_name(member.key)});
  if (pod == nullptr) {
    // A node that was never created, for a mistake in its spec, holds nobody up.
    const ObjectKey set{member.key.ns, statefulset_name(member.key)};
    return informers.statefulsets.store().get(set) != nullptr;
  }
  const PodFacts facts = look_at_pod(*pod);
  if (facts.deleting || !facts.ready || fleet.reserved(member.key, facts.uid, now)) return true;
  const runtime::Object node = informers.nodes.store().get(member.key);
  return node != nullptr && kube::condition_status(*node, "Ready") == kube::ConditionStatus::kFalse;
}

void look_at_group(const Informers& informers, const Fleet& fleet, Snapshot& snapshot) {
  const std::string group = disruption_group(snapshot.node.spec);
  snapshot.budget_members = fleet.group_in(group, snapshot.node.key.ns);
  if (restart_may_be_due(snapshot)) {
    for (const Member& member : fleet.group(group)) {
      if (member.key == snapshot.node.key) continue;
      snapshot.group.push_back({member.key, is_down(member, informers, fleet, snapshot.now)});
    }
  }
  for (const runtime::Object& budget : informers.budgets.store().all()) {
    const ObjectKey key = kube::key_of(*budget);
    if (key.ns != snapshot.node.key.ns || kube::is_deleting(*budget)) continue;
    const std::string of = label_of(*budget, kGroupLabel);
    if (!of.empty() && of != group && fleet.group_in(of, key.ns).empty()) {
      snapshot.stale_budgets.push_back({key, kube::uid_of(*budget), kube::version_of(*budget)});
    }
  }
}

}  // namespace

Snapshot look(const json::object& object, const Informers& informers, const Fleet& fleet,
              const NodeState& state, const Clock& clock) {
  Snapshot snapshot;
  snapshot.now = clock.now();
  snapshot.wall = clock.wall();
  look_at_node(object, snapshot);
  look_at_sights(informers, snapshot);
  snapshot.accept_height = annotation_of(object, kAcceptHeight);

  const ObjectKey& key = snapshot.node.key;
  snapshot.statefulset = informers.statefulsets.store().get({key.ns, statefulset_name(key)});
  snapshot.pod = informers.pods.store().get({key.ns, pod_name(key)});
  snapshot.client_service = informers.services.store().get({key.ns, service_name(key)});
  snapshot.claims = look_at_claims(snapshot.node, [&](const std::string& name) {
    const runtime::Object claim = informers.claims.store().get({key.ns, name});
    if (claim != nullptr) snapshot.live_claims[name] = claim;
    return claim;
  });
  look_at_group(informers, fleet, snapshot);
  snapshot.reclaim_policies = state.reclaim_policies;
  snapshot.reclaim_errors = state.reclaim_errors;
  snapshot.claim_notes = state.claim_notes;
  snapshot.observation = state.observation;
  return snapshot;
}

bool caches_are_fresh(const ObjectKey& node, const Informers& informers) {
  if (!informers.nodes.fresh(node)) return false;
  const auto fresh = [&](const runtime::Informer& informer, std::string name) {
    return informer.fresh({node.ns, std::move(name)});
  };
  for (const VolumeLayout& volume : kVolumes) {
    if (!fresh(informers.claims, claim_name(node, volume))) return false;
  }
  return fresh(informers.statefulsets, statefulset_name(node)) &&
         fresh(informers.pods, pod_name(node)) && fresh(informers.services, service_name(node)) &&
         fresh(informers.services, headless_name(node)) &&
         fresh(informers.configmaps, configmap_name(node)) &&
         fresh(informers.configmaps, files_name(node)) &&
         fresh(informers.serviceaccounts, serviceaccount_name(node));
}

}  // namespace davit::blocknode
