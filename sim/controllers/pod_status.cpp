#include "sim/controllers/pod_status.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

using State = ContainerLife::State;
using Names = std::vector<std::string_view>;

const json::object* spec_of(const PodLife& life, const ContainerLife& container) {
  const json::object* found = nullptr;
  const std::string_view list = container.init ? "spec.initContainers" : "spec.containers";
  for_each_object(*life.pod, list, [&](const json::object& entry) {
    if (wire::find_string(entry, "name") == container.name) found = &entry;
  });
  return found;
}

json::object state_of(const PodLife& life, const ContainerLife& container) {
  switch (container.state) {
    case State::kRunning:
      return {{"running", json::object{{"startedAt", container.started_at}}}};
    case State::kTerminated:
      return {{"terminated", container.ended}};
    case State::kWaiting:
      break;
  }
  if (container.reason.empty()) {
    return {{"waiting", json::object{{"reason", life.init.empty() ? "ContainerCreating"
                                                                  : "PodInitializing"}}}};
  }
  json::object waiting{{"reason", container.reason}};
  if (!container.message.empty()) waiting["message"] = container.message;
  return {{"waiting", std::move(waiting)}};
}

json::value status_of(const PodLife& life, const ContainerLife& container) {
  const json::object* spec = spec_of(life, container);
  const std::string_view image = spec ? wire::find_string(*spec, "image") : std::string_view();
  json::object status{
      {"name", container.name},
      {"image", image},
      {"imageID", container.starts > 0 ? image : std::string_view()},
      {"ready", container.init && !container.sidecar ? container.init_done() : container.ready},
      {"started", container.started},
      {"restartCount", container.starts > 0 ? container.starts - 1 : 0},
      {"state", state_of(life, container)},
      {"lastState", json::object{}}};
  if (container.starts > 0) {
    status["containerID"] =
        fmt::format("containerd://{}-{}-{}", life.uid, container.name, container.starts);
  }
  if (!container.last_ended.empty()) {
    status["lastState"] = json::object{{"terminated", container.last_ended}};
  }
  return status;
}

json::array statuses_of(const PodLife& life, const std::vector<ContainerLife>& containers) {
  json::array statuses;
  statuses.reserve(containers.size());
  for (const ContainerLife& container : containers) {
    statuses.push_back(status_of(life, container));
  }
  return statuses;
}

bool gates_are_open(const json::object& pod) {
  bool open = true;
  for_each_object(pod, "spec.readinessGates", [&](const json::object& gate) {
    open = open && condition_is(pod, wire::find_string(gate, "conditionType"), "True");
  });
  return open;
}

void add_conditions(const PodLife& life, json::array& conditions, const std::string& now) {
  Names raw, unready;
  for (const ContainerLife& container : life.init) {
    if (!container.init_done()) raw.push_back(container.name);
    if (container.sidecar && !container.ready) unready.push_back(container.name);
  }
  for (const ContainerLife& container : life.main) {
    if (!container.ready) unready.push_back(container.name);
  }
  const auto set = [&](std::string_view type, bool value, std::string_view reason,
                       const std::string& message) {
    set_condition(conditions, type, value ? "True" : "False", value ? "" : reason,
                  value ? "" : message, now);
  };
  const bool done = pod_phase(life) == "Succeeded";
  const bool failed = pod_phase(life) == "Failed";
  set("PodReadyToStartContainers", life.sandbox && !life.over && !done && !failed, "", "");
  if (done || raw.empty()) {
    set_condition(conditions, "Initialized", "True", done ? "PodCompleted" : "", "", now);
  } else {
    set("Initialized", false, "ContainersNotInitialized",
        fmt::format("containers with incomplete status: [{}]", fmt::join(raw, " ")));
  }
  const std::string_view reason = done     ? "PodCompleted"
                                  : failed ? "PodFailed"
                                           : "ContainersNotReady";
  const std::string message =
      done || failed ? std::string()
                     : fmt::format("containers with unready status: [{}]", fmt::join(unready, " "));
  const bool ready = unready.empty() && raw.empty() && !done && !failed;
  if (ready && !gates_are_open(*life.pod)) {
    set("Ready", false, "ReadinessGatesNotReady", "the pod's readiness gates are not all true");
  } else {
    set("Ready", ready, reason, message);
  }
  set("ContainersReady", ready, reason, message);
  set("PodScheduled", true, "", "");
  if (life.reason == "Evicted") {
    set_condition(conditions, "DisruptionTarget", "True", "TerminationByKubelet", life.message,
                  now);
  }
}

}  // namespace

bool restarts(const PodLife& life, const ContainerLife& container) {
  if (container.sidecar) return true;
  if (container.init && container.exit_code == 0) return false;
  const std::string_view policy = wire::find_string(*life.pod, "spec.restartPolicy", "Always");
  return policy == "Always" || (policy == "OnFailure" && container.exit_code != 0);
}

std::string_view pod_phase(const PodLife& life) {
  if (!life.phase.empty()) return life.phase;
  for (const ContainerLife& container : life.init) {
    if (container.init_done() || container.sidecar) continue;
    const bool failed = container.state == State::kTerminated && !restarts(life, container);
    return failed ? "Failed" : "Pending";
  }
  std::size_t running = 0, stopped = 0, failed = 0, for_good = 0;
  for (const ContainerLife& container : life.main) {
    if (container.state == State::kWaiting && container.last_ended.empty()) return "Pending";
    if (container.runs()) {
      ++running;
      continue;
    }
    ++stopped;
    if (container.state != State::kTerminated) continue;
    if (container.exit_code != 0) ++failed;
    if (!restarts(life, container) || life.ends_at) ++for_good;
  }
  if (running > 0 || for_good < stopped || stopped == 0) return "Running";
  return failed > 0 ? "Failed" : "Succeeded";
}

std::string_view quality_class(const json::object& pod) {
  bool any = false, guaranteed = true;
  for (const std::string_view list : {"spec.initContainers", "spec.containers"}) {
    for_each_object(pod, list, [&](const json::object& container) {
      const json::object* limits = wire::find_object(container, "resources.limits");
      const json::object* requests = wire::find_object(container, "resources.requests");
      any = any || (limits && !limits->empty()) || (requests && !requests->empty());
      for (const std::string_view resource : {"cpu", "memory"}) {
        const json::value* limit = limits ? limits->if_contains(resource) : nullptr;
        const json::value* request = requests ? requests->if_contains(resource) : nullptr;
        guaranteed = guaranteed && limit && (!request || *request == *limit);
      }
    });
  }
  return !any ? "BestEffort" : guaranteed ? "Guaranteed" : "Burstable";
}

json::object pod_status(const PodLife& life, const std::string& now) {
  json::object status;
  if (const json::object* old = wire::find_object(*life.pod, "status")) status = *old;
  json::array conditions;
  if (const json::array* old = wire::find_array(status, "conditions")) conditions = *old;
  add_conditions(life, conditions, now);
  status["conditions"] = std::move(conditions);
  status["phase"] = pod_phase(life);
  status["startTime"] = life.start_time;
  status["hostIP"] = life.host_address;
  status["hostIPs"] = json::array{json::object{{"ip", life.host_address}}};
  if (life.sandbox) {
    status["podIP"] = life.address;
    status["podIPs"] = json::array{json::object{{"ip", life.address}}};
  }
  status["qosClass"] = quality_class(*life.pod);
  if (!life.reason.empty()) status["reason"] = life.reason;
  if (!life.message.empty()) status["message"] = life.message;
  if (!life.init.empty()) status["initContainerStatuses"] = statuses_of(life, life.init);
  status["containerStatuses"] = statuses_of(life, life.main);
  return status;
}

}  // namespace davit::sim
