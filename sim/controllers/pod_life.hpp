// PodLife: what a kubelet knows about one pod on its node: its containers, where they stand, their
// probes and back-offs. Plain data; PodWorker moves it on, pod_status writes it down.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/controllers/work_queue.hpp"
#include "sim/object_store.hpp"

namespace davit::sim {

struct ProbeLife {
  std::optional<Monotonic> next;
  int successes = 0, failures = 0;
};

// As client-go's flowcontrol.Backoff: 10 s doubling to 5 min, forgotten after 10 min of quiet.
struct BackOff {
  Duration delay{0};
  Monotonic last;
};

struct ContainerLife {
  enum class State { kWaiting, kRunning, kTerminated };

  std::string name;
  bool init = false;     // runs before the others, to its end
  bool sidecar = false;  // an init container with restartPolicy Always
  State state = State::kWaiting;
  std::string reason, message;  // of waiting; empty: the pod is being made
  Monotonic not_before;         // of the next start
  Monotonic since;              // it runs or has ended
  std::string started_at;       // as in the status
  unsigned starts = 0;
  bool started = false, ready = false;
  int exit_code = 0;
  json::object ended, last_ended;  // state.terminated and lastState.terminated
  BackOff crashes, pulls;
  ProbeLife startup, liveness, readiness;
  // It has had SIGTERM and is killed then.
  std::optional<Monotonic> kill_at;
  bool heeds = false;

  [[nodiscard]] bool runs() const { return state == State::kRunning; }
  // An init container that has done its part.
  [[nodiscard]] bool init_done() const {
    return sidecar ? started : state == State::kTerminated && exit_code == 0;
  }
};

struct PodLife {
  Object pod;  // as last seen
  std::string uid, node, address, host_address, start_time;
  Monotonic bound;
  bool sandbox = false;  // it has an address, and containers may start
  std::vector<ContainerLife> init, main;
  // While it ends: when SIGTERM is due (after preStop) and when its grace is over.
  std::optional<Monotonic> term_at, ends_at;
  bool over = false;                   // ended and gone
  std::string phase, reason, message;  // set for good: "Failed", "Evicted", …
  bool dirty = true;                   // the status may have to be written
};

}  // namespace davit::sim
