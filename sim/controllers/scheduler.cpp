#include "sim/controllers/scheduler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/placement.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

constexpr const char* kSelectedNode = "volume.kubernetes.io/selected-node";

std::int64_t milli(const json::object& object, std::string_view path) {
  const json::value* value = wire::find(object, path);
  const auto quantity = value ? wire::Quantity::parse(*value) : fail(Code::kInvalid, "absent");
  return quantity ? quantity->milli_value() : 0;
}

// What a pod asks of its node: the sum of its containers, or its largest init container.
std::int64_t request(const json::object& pod, const std::string& resource) {
  const std::string path = "resources.requests." + resource;
  std::int64_t sum = 0, largest = 0;
  for_each_object(pod, "spec.containers",
                  [&](const json::object& container) { sum += milli(container, path); });
  for_each_object(pod, "spec.initContainers", [&](const json::object& container) {
    if (wire::find_string(container, "restartPolicy") == "Always") {
      sum += milli(container, path);
    } else {
      largest = std::max(largest, milli(container, path));
    }
  });
  return std::max(sum, largest);
}

std::string unavailable(std::size_t nodes, const std::string& why) {
  return fmt::format(
      "0/{0} nodes are available: {1}. no new claims to deallocate, preemption: 0/{0} nodes are "
      "available: {0} Preemption is not helpful for scheduling.",
      nodes, why);
}

}  // namespace

void Scheduler::on_event(const StoredEvent& event) {
  if (event.type == &hub_->pods) {
    const bool waits = event.after && wire::find_string(*event.after, "spec.nodeName").empty() &&
                       !kube::is_deleting(*event.after);
    if (waits && !event.before) queue_.add(event.key);
    if (waits || event.after) return;
  } else if (event.type != &hub_->nodes && event.type != &hub_->claims &&
             event.type != &hub_->volumes && event.type != &hub_->classes) {
    return;
  }
  // Something became free, or fits now.
  resync();
}

void Scheduler::resync() {
  for (const ObjectKey& key : hub_->pod_index.of_node({})) queue_.add(key);
}

void Scheduler::sync(const ObjectKey& key) {
  const Object pod = hub_->pod(key);
  if (!pod || kube::is_deleting(*pod) || !wire::find_string(*pod, "spec.nodeName").empty()) return;
  const json::array* gates = wire::find_array(*pod, "spec.schedulingGates");
  if (gates && !gates->empty()) return;
  const ObjectStore::Objects& nodes = hub_->store.all(hub_->nodes);
  if (nodes.empty()) return refuse(pod, "no nodes available to schedule pods");
  if (const std::string why = obstacle(*pod); !why.empty()) {
    return refuse(pod, unavailable(nodes.size(), why));
  }
  std::map<std::string, std::size_t> misfits;
  std::optional<std::pair<std::size_t, std::string>> best;
  for (const auto& [node_key, node] : nodes) {
    if (std::string why = misfit(*pod, *node); !why.empty()) {
      ++misfits[std::move(why)];
      continue;
    }
    std::pair candidate(hub_->pod_index.of_node(node_key.name).size(), node_key.name);
    if (!best || candidate < *best) best = std::move(candidate);
  }
  if (best) {
    if (prepare_claims(*pod, best->second)) bind(pod, best->second);
    return;
  }
  std::vector<std::string> reasons;
  for (const auto& [why, count] : misfits) reasons.push_back(fmt::format("{} {}", count, why));
  std::ranges::sort(reasons);
  refuse(pod, unavailable(nodes.size(), fmt::format("{}", fmt::join(reasons, ", "))));
}

std::string Scheduler::obstacle(const json::object& pod) const {
  std::string why;
  for_each_claim(pod, [&](std::string_view name) {
    if (!why.empty()) return;
    const Object claim = hub_->store.get(hub_->claims, {kube::key_of(pod).ns, std::string(name)});
    if (!claim) {
      why = fmt::format("persistentvolumeclaim \"{}\" not found", name);
    } else if (kube::is_deleting(*claim)) {
      why = fmt::format("persistentvolumeclaim \"{}\" is being deleted", name);
    } else if (wire::find_string(*claim, "status.phase") != "Bound") {
      const Object storage_class = hub_->store.get(
          hub_->classes, {"", std::string(wire::find_string(*claim, "spec.storageClassName"))});
      const bool waits = storage_class && wire::find_string(*storage_class, "volumeBindingMode") ==
                                              "WaitForFirstConsumer";
      if (!waits) why = "pod has unbound immediate PersistentVolumeClaims";
    }
  });
  return why;
}

std::string Scheduler::misfit(const json::object& pod, const json::object& node) const {
  const std::string name = kube::key_of(node).name;
  const json::array* tolerations = wire::find_array(pod, "spec.tolerations");
  const std::string_view wanted = wire::find_string(pod, "spec.nodeName");
  if (!wanted.empty() && wanted != name) return "node(s) didn't match the requested node name";
  if (wire::find_bool(node, "spec.unschedulable", false)) {
    const json::object cordon{{"key", "node.kubernetes.io/unschedulable"},
                              {"effect", "NoSchedule"}};
    if (!toleration_seconds(cordon, tolerations)) return "node(s) were unschedulable";
  }
  if (!condition_is(node, "Ready", "True") || !tolerates_taints(node, tolerations)) {
    return "node(s) had untolerated taint(s)";
  }
  if (!selects_node(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  std::string why;
  for_each_claim(pod, [&](std::string_view claim_name) {
    const ObjectKey key{kube::key_of(pod).ns, std::string(claim_name)};
    const Object claim = hub_->store.get(hub_->claims, key);
    const Object volume =
        claim ? hub_->store.get(hub_->volumes,
                                {"", std::string(wire::find_string(*claim, "spec.volumeName"))})
              : nullptr;
    if (!volume) {
      if (claim && wire::find_string(*claim, "status.phase") == "Bound") {
        why = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";
      }
      return;
    }
    const json::object* affinity = wire::find_object(*volume, "spec.nodeAffinity.required");
    if (affinity && !node_selector_matches(*affinity, node)) {
      why = "node(s) didn't match PersistentVolume's node affinity";
    }
  });
  if (!why.empty()) return why;
  const PodIndex::Keys& there = hub_->pod_index.of_node(name);
  const std::int64_t most = milli(node, "status.allocatable.pods") / 1000;
  if (most > 0 && static_cast<std::int64_t>(there.size()) >= most) return "Too many pods";
  for (const char* resource : {"cpu", "memory"}) {
    const std::int64_t room = milli(node, std::string("status.allocatable.") + resource);
    const std::int64_t asked = request(pod, resource);
    if (room == 0 || asked == 0) continue;
    std::int64_t used = 0;
    for (const ObjectKey& key : there) {
      const Object other = hub_->pod(key);
      if (other && !is_finished(*other)) used += request(*other, resource);
    }
    if (used + asked > room) return fmt::format("Insufficient {}", resource);
  }
  return {};
}

bool Scheduler::prepare_claims(const json::object& pod, const std::string& node) const {
  bool ready = true;
  for_each_claim(pod, [&](std::string_view name) {
    const Object claim = hub_->store.get(hub_->claims, {kube::key_of(pod).ns, std::string(name)});
    if (!claim || wire::find_string(*claim, "status.phase") == "Bound") return;
    ready = false;
    if (text_of(*claim, "annotations", kSelectedNode) == node) return;
    hub_->write(hub_->claims, claim, "", "kube-scheduler", [&](json::object& object) {
      wire::ensure_object(wire::ensure_object(object, "metadata"), "annotations")[kSelectedNode] =
          node;
    });
  });
  return ready;
}

// As the binding subresource does: past the strategy of pods, in one write.
void Scheduler::bind(const Object& pod, const std::string& node) {
  json::object bound = *pod;
  wire::ensure_object(bound, "spec")["nodeName"] = node;
  json::value& conditions = wire::ensure_object(bound, "status")["conditions"];
  if (!conditions.is_array()) conditions.emplace_array();
  set_condition(conditions.as_array(), "PodScheduled", "True", "", "", hub_->now_text());
  hub_->store.put(hub_->pods, std::move(bound));
}

void Scheduler::refuse(const Object& pod, const std::string& message) {
  const json::object* before = condition_of(*pod, "PodScheduled");
  if (before && wire::find_string(*before, "status") == "False" &&
      wire::find_string(*before, "message") == message) {
    return;
  }
  hub_->write(hub_->pods, pod, "status", "kube-scheduler", [&](json::object& object) {
    json::value& conditions = wire::ensure_object(object, "status")["conditions"];
    if (!conditions.is_array()) conditions.emplace_array();
    set_condition(conditions.as_array(), "PodScheduled", "False", "Unschedulable", message,
                  hub_->now_text());
  });
}

}  // namespace davit::sim
