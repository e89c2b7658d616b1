// ContainerRuntime: what runs inside the pods of the simulated kubelet: the seam for operand
// models.
//
// The kubelet owns everything Kubernetes does (binding, order of containers, probes and their
// thresholds, restarts and their back-off, grace periods, evictions); the runtime owns what the
// programs do. All on virtual time, on the loop's thread; nothing here may block or write to the
// API.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "wire/json.hpp"

namespace davit::sim {

// One container of one pod, as the kubelet names it.
struct ContainerRef {
  const json::object* pod = nullptr;  // as stored, with its address in status.podIP
  std::string_view name;
};

struct ContainerLook {
  std::optional<int> exit_code;  // nullopt: it runs
  std::string message;           // what it said last: the termination message
  // When to look again although nothing changed; nullopt: only when asked to.
  std::optional<Duration> again;
};

class ContainerRuntime {
 public:
  virtual ~ContainerRuntime() = default;
  // The process starts, the pod's volumes are mounted. Also for each restart.
  virtual void start(const ContainerRef& container) = 0;
  virtual ContainerLook look(const ContainerRef& container) = 0;
  // One probe (`probe` is the pod spec's: httpGet, tcpSocket, grpc or exec) answered at once.
  virtual bool probe(const ContainerRef& container, const json::object& probe) = 0;
  // SIGTERM. False: it does not heed it, and is killed at the end of its grace period.
  virtual bool terminate(const ContainerRef& container) = 0;
  // SIGKILL, or the end after a SIGTERM: the process is gone.
  virtual void kill(const ContainerRef& container) = 0;
};

}  // namespace davit::sim
