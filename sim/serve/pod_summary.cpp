// Follows printPod of Kubernetes 1.36 (pkg/printers/internalversion/printers.go): the words people
// know: Init:0/2, PodInitializing, CrashLoopBackOff, Running, Completed, Terminating.
#include <fmt/format.h>

#include <algorithm>

#include "sim/serve/builtin_columns.hpp"

namespace davit::sim {

namespace {

const json::array& array_at(const json::object& object, std::string_view path) {
  static const json::array empty;
  const json::array* found = wire::find_array(object, path);
  return found ? *found : empty;
}

bool is_sidecar(const json::object& pod, std::string_view name) {
  return std::ranges::any_of(
      array_at(pod, "spec.initContainers"), [&](const json::value& container) {
        return wire::find_string(container.as_object(), "name") == name &&
               wire::find_string(container.as_object(), "restartPolicy") == "Always";
      });
}

bool has_true_condition(const json::object& pod, std::string_view type) {
  return std::ranges::any_of(array_at(pod, "status.conditions"), [&](const json::value& entry) {
    return wire::find_string(entry.as_object(), "type") == type &&
           wire::find_string(entry.as_object(), "status") == "True";
  });
}

// Why a terminated container ended: "OOMKilled", "ExitCode:3".
std::string end_of(const json::object& terminated) {
  const std::string_view reason = wire::find_string(terminated, "reason");
  if (!reason.empty()) return std::string(reason);
  const std::int64_t signal = wire::find_int(terminated, "signal").value_or(0);
  if (signal != 0) return fmt::format("Signal:{}", signal);
  return fmt::format("ExitCode:{}", wire::find_int(terminated, "exitCode").value_or(0));
}

class Summary {
 public:
  explicit Summary(const json::object& pod) : pod_(&pod) {
    status_ = wire::find_string(pod, "status.reason", wire::find_string(pod, "status.phase"));
  }

  PodSummary make(WallTime now) {
    total_ = array_at(*pod_, "spec.containers").size();
    const bool initializing = look_at_init_containers();
    if (!initializing || has_true_condition(*pod_, "Initialized")) {
      restarts_ = sidecar_restarts_;
      last_end_ = sidecar_last_end_;
      look_at_containers();
    }
    if (wire::find(*pod_, "metadata.deletionTimestamp")) {
      const std::string_view phase = wire::find_string(*pod_, "status.phase");
      if (wire::find_string(*pod_, "status.reason") == "NodeLost") {
        status_ = "Unknown";
      } else if (phase != "Succeeded" && phase != "Failed") {
        status_ = "Terminating";
      }
    }
    std::string restarts = std::to_string(restarts_);
    if (restarts_ != 0 && !last_end_.empty()) restarts += " (" + age(last_end_, now) + " ago)";
    return {fmt::format("{}/{}", ready_, total_), status_, std::move(restarts)};
  }

 private:
  static void note_restarts(const json::object& container, std::int64_t& count,
                            std::string& last_end) {
    count += wire::find_int(container, "restartCount").value_or(0);
    // RFC 3339 in UTC orders as text.
    const std::string_view end = wire::find_string(container, "lastState.terminated.finishedAt");
    if (end > last_end) last_end = end;
  }

  // True while one of them has not done its part.
  bool look_at_init_containers() {
    const json::array& init = array_at(*pod_, "spec.initContainers");
    for (const json::value& entry : init) {
      if (wire::find_string(entry.as_object(), "restartPolicy") == "Always") ++total_;
    }
    std::size_t index = 0;
    for (const json::value& entry : array_at(*pod_, "status.initContainerStatuses")) {
      const json::object& container = entry.as_object();
      note_restarts(container, restarts_, last_end_);
      const bool sidecar = is_sidecar(*pod_, wire::find_string(container, "name"));
      if (sidecar) note_restarts(container, sidecar_restarts_, sidecar_last_end_);
      const json::object* terminated = wire::find_object(container, "state.terminated");
      const std::string_view waiting = wire::find_string(container, "state.waiting.reason");
      if (terminated && wire::find_int(*terminated, "exitCode").value_or(0) == 0) {
        ++index;
        continue;
      }
      if (sidecar && wire::find_bool(container, "started", false)) {
        if (wire::find_bool(container, "ready", false)) ++ready_;
        ++index;
        continue;
      }
      if (terminated) {
        status_ = "Init:" + end_of(*terminated);
      } else if (!waiting.empty() && waiting != "PodInitializing") {
        status_ = "Init:" + std::string(waiting);
      } else {
        status_ = fmt::format("Init:{}/{}", index, init.size());
      }
      return true;
    }
    return false;
  }

  void look_at_containers() {
    const json::array& statuses = array_at(*pod_, "status.containerStatuses");
    bool has_running = false;
    std::string error;
    for (std::size_t i = statuses.size(); i-- > 0;) {
      const json::object& container = statuses[i].as_object();
      note_restarts(container, restarts_, last_end_);
      const std::string_view waiting = wire::find_string(container, "state.waiting.reason");
      if (!waiting.empty()) {
        status_ = waiting;
      } else if (const auto* terminated = wire::find_object(container, "state.terminated")) {
        status_ = end_of(*terminated);
        if (wire::find_int(*terminated, "exitCode").value_or(0) != 0) error = status_;
      } else if (wire::find_bool(container, "ready", false) &&
                 wire::find_object(container, "state.running")) {
        has_running = true;
        ++ready_;
      }
    }
    if (status_ != "Completed") return;
    if (has_running && has_true_condition(*pod_, "Ready")) {
      status_ = "Running";
    } else if (!error.empty()) {
      status_ = error;
    } else if (has_running) {
      status_ = "NotReady";
    }
  }

  const json::object* pod_;
  std::string status_;
  std::size_t total_ = 0;
  std::size_t ready_ = 0;
  std::int64_t restarts_ = 0;
  std::int64_t sidecar_restarts_ = 0;
  std::string last_end_, sidecar_last_end_;
};

}  // namespace

PodSummary summarise_pod(const json::object& pod, WallTime now) { return Summary(pod).make(now); }

}  // namespace davit::sim
