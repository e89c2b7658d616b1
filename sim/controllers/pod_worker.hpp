// PodWorker: one step of a kubelet for one pod: what is due now is done, and when to come again is
// said. Init containers in their order, then the others; probes; restarts with their back-off; the
// end within the grace period (pkg/kubelet: kuberuntime_manager.go, prober, backoff).
//
//   PodWorker worker(facts, life, now);
//   worker.advance();
//   if (worker.next()) queue.add_at(key, *worker.next(), worker.wait());
#pragma once

#include <functional>
#include <set>

#include "sim/controllers/container_runtime.hpp"
#include "sim/controllers/hub.hpp"
#include "sim/controllers/pod_life.hpp"

namespace davit::sim {

// What a kubelet knows beside the pod.
struct NodeFacts {
  Hub& hub;
  ContainerRuntime& runtime;
  const std::set<std::string>& missing_images;
  std::set<std::string>& images;  // those the node has
  Duration start_time, stop_time;
};

class PodWorker {
 public:
  PodWorker(const NodeFacts& facts, PodLife& life, Monotonic now)
      : facts_(facts), life_(&life), now_(now) {}

  // `attach` is called when the pod has its address and must be seen with it before containers
  // start.
  void advance(const std::function<void()>& attach);
  // The process of a container ends at once: 137 with "OOMKilled", …
  void finish(ContainerLife& container, int exit_code, std::string_view reason,
              std::string_view message);
  // All at once, without grace.
  void kill_all(int exit_code, std::string_view reason);

  [[nodiscard]] const std::optional<Monotonic>& next() const { return next_; }
  [[nodiscard]] Wait wait() const { return wait_; }

 private:
  void later(Monotonic when, Wait wait);
  [[nodiscard]] ContainerRef ref(const ContainerLife& container) const;
  [[nodiscard]] const json::object* spec(const ContainerLife& container) const;
  void set_waiting(ContainerLife& container, std::string_view reason, std::string message);

  bool volumes_are_there();
  void start_containers();
  void step(ContainerLife& container);
  void try_start(ContainerLife& container);
  bool has_image(ContainerLife& container);
  void run(ContainerLife& container);
  bool look(ContainerLife& container);
  void after_end(ContainerLife& container);
  void ask_to_stop(ContainerLife& container, Monotonic latest);

  void run_probes(ContainerLife& container);
  // The word of a threshold that has just been reached.
  std::optional<bool> probe(ContainerLife& container, const json::object& settings,
                            ProbeLife& probe);

  void begin_end();
  void end();
  bool stop_group(std::vector<ContainerLife>& containers, bool sidecars);

  NodeFacts facts_;
  PodLife* life_;
  Monotonic now_;
  std::optional<Monotonic> next_;
  Wait wait_ = Wait::kPeriodic;
};

// Why a container cannot be made: what it takes from ConfigMaps and Secrets and is not there;
// empty: nothing. The message of CreateContainerConfigError.
[[nodiscard]] std::string configuration_error(const Hub& hub, const std::string& ns,
                                              const json::object& container);
// The same for the pod's volumes.
[[nodiscard]] std::string mount_error(const Hub& hub, const json::object& pod);

}  // namespace davit::sim
