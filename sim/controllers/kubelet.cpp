#include "sim/controllers/kubelet.hpp"

#include <fmt/format.h>

#include <set>

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

bool claims_are_bound(const Operations& operations, const json::object& pod) {
  const json::array* volumes = wire::find_array(pod, "spec.volumes");
  if (!volumes) return true;
  for (const json::value& volume : *volumes) {
    const std::string claim(
        wire::find_string(volume.as_object(), "persistentVolumeClaim.claimName"));
    if (claim.empty()) continue;
    const Object there =
        object_at(operations, kube::kPersistentVolumeClaims, {kube::key_of(pod).ns, claim});
    if (!there || wire::find_string(*there, "status.phase") != "Bound") return false;
  }
  return true;
}

void set_condition(json::array& conditions, std::string_view type, bool value,
                   const std::string& now) {
  const std::string_view status = value ? "True" : "False";
  for (json::value& entry : conditions) {
    json::object& condition = entry.as_object();
    if (wire::find_string(condition, "type") != type) continue;
    if (wire::find_string(condition, "status") != status) {
      condition["status"] = status;
      condition["lastTransitionTime"] = now;
    }
    return;
  }
  conditions.push_back(
      json::object{{"type", type}, {"status", status}, {"lastTransitionTime", now}});
}

json::array container_statuses(const json::object& pod, const PodState& state,
                               const std::string& started) {
  json::array statuses;
  const json::array* containers = wire::find_array(pod, "spec.containers");
  if (!containers) return statuses;
  for (const json::value& entry : *containers) {
    const json::object& container = entry.as_object();
    json::object status{{"name", wire::find_string(container, "name")},
                        {"image", wire::find_string(container, "image")},
                        {"imageID", wire::find_string(container, "image")},
                        {"ready", state.running && state.ready},
                        {"started", state.running},
                        {"restartCount", state.restarts}};
    json::object now;
    if (state.running) {
      now["running"] = json::object{{"startedAt", started}};
    } else {
      now["waiting"] = json::object{{"reason", state.reason}, {"message", state.message}};
    }
    status["state"] = std::move(now);
    if (state.restarts > 0) {
      status["lastState"] = json::object{
          {"terminated", json::object{{"exitCode", state.last_exit_code}, {"reason", "Error"}}}};
    }
    statuses.push_back(std::move(status));
  }
  return statuses;
}

}  // namespace

std::optional<Monotonic> Kubelet::run(Operations& operations, Monotonic now) {
  next_.reset();
  std::set<Uid> alive;
  for (const Object& pod : objects_of(operations, kube::kPods)) {
    alive.insert(kube::uid_of(*pod));
    look(operations, pod, now);
  }
  std::erase_if(lives_, [&](const auto& life) { return !alive.contains(life.first); });
  return next_;
}

void Kubelet::later(Monotonic when) {
  if (!next_ || when < *next_) next_ = when;
}

void Kubelet::look(Operations& operations, const Object& pod, Monotonic now) {
  Life& life = lives_[kube::uid_of(*pod)];
  if (wire::find_string(*pod, "spec.nodeName").empty()) {
    if (kube::is_deleting(*pod) || !bind(operations, *pod)) return;
  }
  if (!life.bound) {
    life.bound = now;
    ++last_address_;
    life.address = fmt::format("10.244.{}.{}", last_address_ / 250, 1 + last_address_ % 250);
  }
  if (kube::is_deleting(*pod)) return end(operations, *pod, life, now);
  const Monotonic starts = *life.bound + start_time;
  if (now < starts) return later(starts);
  report(operations, *pod, life, now - starts);
}

bool Kubelet::bind(Operations& operations, const json::object& pod) {
  if (!claims_are_bound(operations, pod)) return false;
  for (const Object& node : objects_of(operations, kube::kNodes)) {
    if (wire::find_bool(*node, "spec.unschedulable", false) ||
        !condition_is(*node, "Ready", "True")) {
      continue;
    }
    return operations.edit(*operations.registry().find(kube::kPods), kube::key_of(pod), "",
                           [&](json::object& bound) {
                             ensure_object(bound, "spec")["nodeName"] = kube::key_of(*node).name;
                           });
  }
  return false;
}

void Kubelet::end(Operations& operations, const json::object& pod, Life& life, Monotonic now) {
  if (!life.deleted) life.deleted = now;
  const Duration grace =
      std::chrono::seconds(wire::find_int(pod, "metadata.deletionGracePeriodSeconds").value_or(30));
  const Monotonic ends = *life.deleted + (pods_hang ? grace : std::min(grace, stop_time));
  if (now < ends) return later(ends);
  (void)operations.remove(*operations.registry().find(kube::kPods), kube::key_of(pod),
                          {.uid = kube::uid_of(pod).value, .grace_seconds = 0});
}

void Kubelet::report(Operations& operations, const json::object& pod, const Life& life,
                     Duration up) {
  const PodState state = behaviour_ ? behaviour_(pod, up) : PodState{};
  if (state.ask_again) later(*life.bound + start_time + up + *state.ask_again);
  const std::string now = format_time(operations.clock().wall());
  operations.edit(*operations.registry().find(kube::kPods), kube::key_of(pod), "status",
                  [&](json::object& live) {
                    json::object& status = ensure_object(live, "status");
                    std::string started(wire::find_string(status, "startTime"));
                    if (started.empty()) started = now;
                    status["startTime"] = started;
                    status["phase"] = state.running || state.restarts > 0 ? "Running" : "Pending";
                    status["podIP"] = life.address;
                    status["podIPs"] = json::array{json::object{{"ip", life.address}}};
                    status["hostIP"] = "192.0.2.1";
                    status["containerStatuses"] = container_statuses(pod, state, started);
                    json::array conditions;
                    if (const json::array* old = wire::find_array(status, "conditions")) {
                      conditions = *old;
                    }
                    const bool ready = state.running && state.ready;
                    set_condition(conditions, "PodScheduled", true, now);
                    set_condition(conditions, "Initialized", true, now);
                    set_condition(conditions, "ContainersReady", ready, now);
                    set_condition(conditions, "Ready", ready, now);
                    status["conditions"] = std::move(conditions);
                  });
}

}  // namespace davit::sim
