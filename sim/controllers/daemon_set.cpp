#include "sim/controllers/daemon_set.hpp"

#include <array>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/placement.hpp"
#include "sim/controllers/workload.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

constexpr const char* kRevisionLabel = "controller-revision-hash";
constexpr std::chrono::seconds kRetry{5};  // after a refusal

// A daemon's pod stays where others would have to go.
void add_tolerations(json::object& spec) {
  json::value& list = spec["tolerations"];
  if (!list.is_array()) list.emplace_array();
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kTolerated{{
      {"node.kubernetes.io/not-ready", "NoExecute"},
      {"node.kubernetes.io/unreachable", "NoExecute"},
      {"node.kubernetes.io/disk-pressure", "NoSchedule"},
      {"node.kubernetes.io/memory-pressure", "NoSchedule"},
      {"node.kubernetes.io/pid-pressure", "NoSchedule"},
      {"node.kubernetes.io/unschedulable", "NoSchedule"},
  }};
  for (const auto& [key, effect] : kTolerated) {
    list.as_array().push_back(
        json::object{{"key", key}, {"operator", "Exists"}, {"effect", effect}});
  }
}

void pin_to(json::object& spec, const std::string& node) {
  json::object& required =
      ensure_object(spec, "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution");
  json::value field =
      json::object{{"key", "metadata.name"}, {"operator", "In"}, {"values", json::array{node}}};
  json::value& terms = required["nodeSelectorTerms"];
  if (!terms.is_array() || terms.as_array().empty()) terms = json::array{json::object{}};
  for (json::value& term : terms.as_array()) term.as_object()["matchFields"] = json::array{field};
}

// The node a pod is on or was made for.
std::string node_of(const json::object& pod) {
  std::string node(wire::find_string(pod, "spec.nodeName"));
  if (!node.empty()) return node;
  for_each_object(
      pod,
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms",
      [&](const json::object& term) {
        for_each_object(term, "matchFields", [&](const json::object& field) {
          const json::array* values = wire::find_array(field, "values");
          if (values && !values->empty() && values->front().is_string()) {
            node = values->front().as_string();
          }
        });
      });
  return node;
}

}  // namespace

void DaemonSetController::on_event(const StoredEvent& event) {
  if (event.type == &hub_->daemon_sets) {
    if (event.after) queue_.add(event.key);
  } else if (event.type == &hub_->nodes) {
    resync();
  } else if (event.type == &hub_->pods) {
    for (const Object& pod : {event.before, event.after}) {
      const ObjectKey owner = pod ? controller_key(*pod, "DaemonSet") : ObjectKey();
      if (!owner.name.empty()) queue_.add(owner);
    }
    if (event.after && kube::controller_of(*event.after).empty()) resync();
  }
}

void DaemonSetController::sync(const ObjectKey& key) {
  const Object set = hub_->store.get(hub_->daemon_sets, key);
  const json::value* pod_template = set ? wire::find(*set, "spec.template") : nullptr;
  if (!pod_template) return;
  const std::string revision = revision_hash(*pod_template);
  const std::int64_t min_ready = wire::find_int(*set, "spec.minReadySeconds").value_or(0);
  const WallTime wall = hub_->operations.clock().wall();
  json::object probe = pod_template->as_object();
  add_tolerations(ensure_object(probe, "spec"));
  const json::array* tolerations = wire::find_array(probe, "spec.tolerations");

  std::map<std::string, std::vector<Object>> by_node;
  for (Object& pod : pods_of(*hub_, *set)) by_node[node_of(*pod)].push_back(std::move(pod));
  const bool active = !kube::is_deleting(*set);
  std::int64_t desired = 0, current = 0, stray = 0, ready = 0, available = 0, updated = 0;
  std::int64_t serving = 0;  // available and to stay
  std::vector<Object> outdated;
  for (const auto& [node_key, node] : hub_->store.all(hub_->nodes)) {
    const bool fits = selects_node(probe, *node);
    const bool runs_on = fits && tolerates_taints(*node, tolerations);
    const bool stays_on = fits && tolerates_taints(*node, tolerations, true);
    const auto found = by_node.find(node_key.name);
    std::vector<Object> pods = found == by_node.end() ? std::vector<Object>() : found->second;
    if (found != by_node.end()) by_node.erase(found);
    if (runs_on) ++desired;
    if (!stays_on) {
      if (!pods.empty()) ++stray;
      for (const Object& pod : pods) {
        if (active && !kube::is_deleting(*pod)) (void)hub_->remove(hub_->pods, *pod);
      }
      continue;
    }
    bool there = false;
    for (const Object& pod : pods) {
      if (is_finished(*pod) && active && !kube::is_deleting(*pod)) {
        (void)hub_->remove(hub_->pods, *pod);
        there = true;  // again when it is gone
      } else if (there) {
        if (active && !kube::is_deleting(*pod)) (void)hub_->remove(hub_->pods, *pod);
      } else {
        there = true;
        if (runs_on) ++current;
        const bool fresh = text_of(*pod, "labels", kRevisionLabel) == revision;
        if (fresh) ++updated;
        const auto at = available_at(*pod, min_ready);
        if (at) ++ready;
        if (at && *at <= wall) ++available;
        if (at && *at <= wall && !kube::is_deleting(*pod)) ++serving;
        if (at && *at > wall) queue_.add_at(key, now() + (*at - wall), Wait::kProgress);
        if (!fresh && !kube::is_deleting(*pod)) outdated.push_back(pod);
      }
    }
    if (there || !runs_on || !active) continue;
    json::object made = pod_from_template(*set);
    json::object& metadata = ensure_object(made, "metadata");
    metadata["generateName"] = key.name + "-";
    ensure_object(metadata, "labels")[kRevisionLabel] = revision;
    metadata["labels"].as_object()["pod-template-generation"] =
        std::to_string(kube::generation_of(*set));
    json::object& spec = ensure_object(made, "spec");
    add_tolerations(spec);
    pin_to(spec, node_key.name);
    if (!hub_->create(hub_->pods, key.ns, std::move(made))) {
      queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
    }
  }
  // On nodes that are gone.
  for (const auto& [node, pods] : by_node) {
    for (const Object& pod : pods) {
      if (active && !kube::is_deleting(*pod)) (void)hub_->remove(hub_->pods, *pod);
    }
  }
  if (active && wire::find_string(*set, "spec.updateStrategy.type") != "OnDelete") {
    std::int64_t may_go =
        scaled(wire::find(*set, "spec.updateStrategy.rollingUpdate.maxUnavailable"), desired, true,
               1) -
        (desired - serving);
    for (const Object& pod : outdated) {
      const auto at = available_at(*pod, min_ready);
      const bool counts = at && *at <= wall;
      if (counts && may_go <= 0) continue;
      if (counts) --may_go;
      (void)hub_->remove(hub_->pods, *pod);
    }
  }
  json::object status;
  if (const json::object* old = wire::find_object(*set, "status")) status = *old;
  status["observedGeneration"] = kube::generation_of(*set);
  status["currentNumberScheduled"] = current;
  status["desiredNumberScheduled"] = desired;
  status["numberMisscheduled"] = stray;
  status["numberReady"] = ready;
  set_count(status, "updatedNumberScheduled", updated);
  set_count(status, "numberAvailable", available);
  set_count(status, "numberUnavailable", desired - available);
  write_status(*hub_, hub_->daemon_sets, *set, std::move(status));
}

}  // namespace davit::sim
