// Kubelet (and scheduler): puts pods on a Ready node once their claims are bound, starts them,
// reports their state, and ends them after their grace period.
//
// How a pod fares is asked of the behaviour, given how long it has been up: the seam for operand
// models.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "sim/operations.hpp"

namespace davit::sim {

struct PodState {
  bool running = true;  // its containers run; false: waiting, for `reason`
  bool ready = true;    // the readiness probe's word
  std::string reason;   // "CrashLoopBackOff", "ImagePullBackOff", …
  std::string message;
  int restarts = 0;
  int last_exit_code = 0;  // of the start before, when there were restarts
  // When to ask again although nothing changed; nullopt: never.
  std::optional<Duration> ask_again;
};

class Kubelet {
 public:
  using Behaviour = std::function<PodState(const json::object& pod, Duration up)>;

  bool enabled = true;
  Duration start_time{std::chrono::seconds(2)};  // from binding to running
  Duration stop_time{std::chrono::seconds(1)};   // of a pod that heeds SIGTERM
  // Pods ignore SIGTERM: they end when their grace period does.
  bool pods_hang = false;

  void set_behaviour(Behaviour behaviour) { behaviour_ = std::move(behaviour); }

  // The time of the next look, if one is needed without a change.
  std::optional<Monotonic> run(Operations& operations, Monotonic now);

 private:
  struct Life {
    std::string address;
    std::optional<Monotonic> bound, deleted;
  };
  void look(Operations& operations, const Object& pod, Monotonic now);
  bool bind(Operations& operations, const json::object& pod);
  void end(Operations& operations, const json::object& pod, Life& life, Monotonic now);
  void report(Operations& operations, const json::object& pod, const Life& life, Duration up);
  void later(Monotonic when);

  Behaviour behaviour_;
  std::map<Uid, Life> lives_;
  unsigned last_address_ = 0;
  std::optional<Monotonic> next_;
};

}  // namespace davit::sim
