#include "sim/controllers/nodes.hpp"

#include <array>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/placement.hpp"

namespace davit::sim {

namespace {

using std::chrono::seconds;

constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kMemoryPressure = "node.kubernetes.io/memory-pressure";
constexpr std::string_view kDiskPressure = "node.kubernetes.io/disk-pressure";
constexpr std::string_view kOutOfService = "node.kubernetes.io/out-of-service";
constexpr std::string_view kUnschedulable = "node.kubernetes.io/unschedulable";
// What admission gives every pod (DefaultTolerationSeconds), for pods that came in without it.
constexpr std::int64_t kDefaultToleration = 300;
constexpr seconds kEvictionPeriod{10};
constexpr seconds kQuarantine{40};  // of a node that was deleted, before its pods are

struct Verdict {
  std::string_view type, reason, message;
  bool on;
};

// True when the list changed.
bool set_taint(json::array& taints, std::string_view key, std::string_view effect, bool on,
               const std::string& now) {
  for (auto taint = taints.begin(); taint != taints.end(); ++taint) {
    const json::object& entry = taint->as_object();
    if (wire::find_string(entry, "key") != key || wire::find_string(entry, "effect") != effect) {
      continue;
    }
    if (!on) taints.erase(taint);
    return !on;
  }
  if (!on) return false;
  json::object made{{"key", key}, {"effect", effect}};
  if (effect == "NoExecute" || key == kUnreachable) made["timeAdded"] = now;
  taints.push_back(std::move(made));
  return true;
}

}  // namespace

void NodeController::set_state(const std::string& node, MachineState state) {
  Machine& machine = hub_->machines[node];
  if (machine.state == state) return;
  if (machine.state == MachineState::kUp) machine.silent_since = now();
  machine.state = state;
  if (state == MachineState::kPoweredOff) kubelet_->power_off(node);
  if (state == MachineState::kUp) kubelet_->wake_node(node);
  queue_.add({"", node});
}

void NodeController::set_pressure(const std::string& node, Pressure pressure, bool on) {
  Machine& machine = hub_->machines[node];
  (pressure == Pressure::kMemory ? machine.low_memory : machine.low_disk) = on;
  queue_.add({"", node});
}

void NodeController::on_event(const StoredEvent& event) {
  if (event.type == &hub_->nodes) {
    queue_.add(event.key);
    return;
  }
  if (event.type != &hub_->pods || !event.after) return;
  // A pod on a node that is in trouble.
  const std::string node(wire::find_string(*event.after, "spec.nodeName"));
  if (node.empty()) return;
  const auto machine = hub_->machines.find(node);
  const bool trouble =
      machine != hub_->machines.end() && (machine->second.state != MachineState::kUp ||
                                          machine->second.low_memory || machine->second.low_disk);
  if (trouble || tainted_.contains(node) || !hub_->store.get(hub_->nodes, {"", node})) {
    queue_.add({"", node});
  }
}

void NodeController::sync(const ObjectKey& key) {
  const std::string& name = key.name;
  const Object node = hub_->store.get(hub_->nodes, key);
  if (!node) return collect_pods(name);
  const Machine& machine = hub_->machines[name];
  const bool silent = machine.state != MachineState::kUp;
  const bool lost = silent && now() - machine.silent_since >= grace;
  if (silent && !lost) queue_.add_at(key, machine.silent_since + grace, Wait::kProgress);
  update(node, machine, lost);
  if (lost) unready_pods(name);
  if (const Object tainted = hub_->store.get(hub_->nodes, key)) evict_intolerant(*tainted);
  if (!silent) relieve(name, machine);
}

void NodeController::update(const Object& node, const Machine& machine, bool lost) {
  const std::string now_text = hub_->now_text();
  const bool silent = machine.state != MachineState::kUp;
  json::array conditions;
  if (const json::array* old = wire::find_array(*node, "status.conditions")) conditions = *old;
  const std::array<Verdict, 4> verdicts{{
      {"MemoryPressure",
       machine.low_memory ? "KubeletHasInsufficientMemory" : "KubeletHasSufficientMemory",
       machine.low_memory ? "kubelet has insufficient memory available"
                          : "kubelet has sufficient memory available",
       machine.low_memory},
      {"DiskPressure", machine.low_disk ? "KubeletHasDiskPressure" : "KubeletHasNoDiskPressure",
       machine.low_disk ? "kubelet has disk pressure" : "kubelet has no disk pressure",
       machine.low_disk},
      {"PIDPressure", "KubeletHasSufficientPID", "kubelet has sufficient PID available", false},
      {"Ready", "KubeletReady", "kubelet is posting ready status", true},
  }};
  bool changed = false;
  for (const Verdict& verdict : verdicts) {
    if (lost) {
      changed |= set_condition(conditions, verdict.type, "Unknown", "NodeStatusUnknown",
                               "Kubelet stopped posting node status.", now_text);
    } else if (!silent) {
      changed |= set_condition(conditions, verdict.type, verdict.on ? "True" : "False",
                               verdict.reason, verdict.message, now_text);
    }
  }
  Object live = node;
  if (changed) {
    live = hub_->write(hub_->nodes, live, "status", lost ? "kube-controller-manager" : "kubelet",
                       [&](json::object& object) {
                         wire::ensure_object(object, "status")["conditions"] = conditions;
                       });
    if (!live) return;
  }
  json::array taints;
  if (const json::array* old = wire::find_array(*live, "spec.taints")) taints = *old;
  changed = set_taint(taints, kUnreachable, "NoSchedule", lost, now_text);
  changed |= set_taint(taints, kUnreachable, "NoExecute", lost, now_text);
  const bool ready = condition_is(*live, "Ready", "True");
  changed |= set_taint(taints, kNotReady, "NoSchedule", !ready && !lost, now_text);
  changed |= set_taint(taints, kNotReady, "NoExecute", !ready && !lost, now_text);
  changed |= set_taint(taints, kMemoryPressure, "NoSchedule", machine.low_memory, now_text);
  changed |= set_taint(taints, kDiskPressure, "NoSchedule", machine.low_disk, now_text);
  changed |= set_taint(taints, kUnschedulable, "NoSchedule",
                       wire::find_bool(*live, "spec.unschedulable", false), now_text);
  if (!changed) return;
  hub_->write(hub_->nodes, live, "", "kube-controller-manager", [&](json::object& object) {
    json::object& spec = wire::ensure_object(object, "spec");
    spec.erase("taints");
    if (!taints.empty()) spec["taints"] = taints;
  });
}

void NodeController::unready_pods(const std::string& node) {
  const PodIndex::Keys keys = hub_->pod_index.of_node(node);
  for (const ObjectKey& key : keys) {
    const Object pod = hub_->pod(key);
    if (!pod || !is_ready(*pod)) continue;
    hub_->write(hub_->pods, pod, "status", "kube-controller-manager", [&](json::object& object) {
      json::value& conditions = wire::ensure_object(object, "status")["conditions"];
      for (json::value& value : conditions.as_array()) {
        json::object& condition = value.as_object();
        if (wire::find_string(condition, "type") != "Ready") continue;
        condition["status"] = "False";
        condition["lastTransitionTime"] = hub_->now_text();
      }
    });
  }
}

void NodeController::evict_intolerant(const json::object& node) {
  const ObjectKey node_key = kube::key_of(node);
  std::vector<const json::object*> taints;
  for_each_object(node, "spec.taints", [&](const json::object& taint) {
    if (wire::find_string(taint, "effect") == "NoExecute") taints.push_back(&taint);
  });
  if (taints.empty()) {
    tainted_.erase(node_key.name);
    return;
  }
  std::map<std::string, Monotonic>& since = tainted_[node_key.name];
  for (const json::object* taint : taints) {
    since.try_emplace(std::string(wire::find_string(*taint, "key")), now());
  }
  // Somebody said that the machine is off: nothing is waited for.
  const bool abandoned =
      condition_is(node, "Ready", "Unknown") && since.contains(std::string(kOutOfService));
  const PodIndex::Keys keys = hub_->pod_index.of_node(node_key.name);
  for (const ObjectKey& key : keys) {
    const Object pod = hub_->pod(key);
    if (!pod) continue;
    if (kube::is_deleting(*pod)) {
      if (abandoned) (void)hub_->remove(hub_->pods, *pod, {.grace_seconds = 0});
      continue;
    }
    bool intolerant = false;
    for (const json::object* taint : taints) {
      const std::string taint_key(wire::find_string(*taint, "key"));
      auto tolerated = toleration_seconds(*taint, wire::find_array(*pod, "spec.tolerations"));
      const bool of_admission = taint_key == kUnreachable || taint_key == kNotReady;
      if (!tolerated && of_admission) tolerated = kDefaultToleration;
      if (tolerated && *tolerated < 0) continue;
      const Monotonic until = since[taint_key] + seconds(tolerated.value_or(0));
      if (now() >= until) {
        intolerant = true;
      } else {
        queue_.add_at(node_key, until, Wait::kPeriodic);
      }
    }
    if (!intolerant) continue;
    const Object marked =
        hub_->write(hub_->pods, pod, "status", "kube-controller-manager", [&](json::object& o) {
          json::value& conditions = wire::ensure_object(o, "status")["conditions"];
          if (!conditions.is_array()) conditions.emplace_array();
          set_condition(conditions.as_array(), "DisruptionTarget", "True", "DeletionByTaintManager",
                        "Taint manager: deleting due to NoExecute taint", hub_->now_text());
        });
    (void)hub_->remove(hub_->pods, marked ? *marked : *pod);
  }
}

// Nobody is there to end them.
void NodeController::collect_pods(const std::string& node) {
  tainted_.erase(node);
  const PodIndex::Keys keys = hub_->pod_index.of_node(node);
  if (keys.empty()) {
    gone_since_.erase(node);
    return;
  }
  const Monotonic due = gone_since_.try_emplace(node, now()).first->second + kQuarantine;
  if (now() < due) return queue_.add_at({"", node}, due, Wait::kProgress);
  for (const ObjectKey& key : keys) {
    if (const Object pod = hub_->pod(key))
      (void)hub_->remove(hub_->pods, *pod, {.grace_seconds = 0});
  }
}

void NodeController::relieve(const std::string& node, const Machine& machine) {
  if (!machine.low_memory && !machine.low_disk) return;
  const auto last = last_eviction_.find(node);
  if (last != last_eviction_.end() && now() - last->second < kEvictionPeriod) {
    return queue_.add_at({"", node}, last->second + kEvictionPeriod, Wait::kProgress);
  }
  for (const ObjectKey& key : kubelet_->eviction_order(node)) {
    if (!kubelet_->evict(key, machine.low_memory ? "memory" : "ephemeral-storage")) continue;
    last_eviction_[node] = now();
    return queue_.add_at({"", node}, now() + kEvictionPeriod, Wait::kProgress);
  }
}

}  // namespace davit::sim
