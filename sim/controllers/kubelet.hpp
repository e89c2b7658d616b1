// Kubelet: those of all nodes: starts the pods that were bound, probes and restarts them, reports
// their state, and ends them within their grace period.
//
//   cluster.kubelet().set_runtime(fleet);   // what the containers do
//
// Without a runtime every container runs, every init container ends well, and every probe answers.
// A node that is cut off (Machines) keeps its containers running and sees and says nothing; one
// without power loses them. One thread; the runtime must outlive the kubelet.
#pragma once

#include <list>
#include <map>
#include <set>
#include <string>

#include "sim/controllers/container_runtime.hpp"
#include "sim/controllers/controller.hpp"
#include "sim/controllers/pod_life.hpp"
#include "sim/controllers/pod_worker.hpp"

namespace davit::sim {

class Kubelet final : public Controller {
 public:
  explicit Kubelet(Hub& hub);
  ~Kubelet() override;

  Duration start_time{std::chrono::seconds(2)};  // from binding to the first container's start
  Duration stop_time{std::chrono::seconds(1)};   // of a container that heeds SIGTERM

  void set_runtime(ContainerRuntime& runtime) { runtime_ = &runtime; }
  // Looks at a pod now: something of its containers changed.
  void wake(const ObjectKey& pod) { queue_.add_at(pod, now(), Wait::kProgress); }

  // No registry has it: ErrImagePull, ImagePullBackOff. Nodes that have it already keep it.
  void set_image_missing(const std::string& image, bool missing);
  // The kernel kills the container: exit code 137, OOMKilled. False: it does not run.
  bool oom_kill(const ObjectKey& pod, std::string_view container);
  // The pod fails with reason Evicted, its containers are killed. `resource` is "memory" or
  // "ephemeral-storage". False: there is no such pod on a node that can be reached.
  bool evict(const ObjectKey& pod, std::string_view resource);

  // ---- for the node controller ----
  // The machine lost its power: what ran on it is gone.
  void power_off(const std::string& node);
  // Everything on that node is looked at again.
  void wake_node(const std::string& node);
  // The pods a node under pressure would evict, the first first (pkg/kubelet/eviction: by quality
  // of service, then by name; not those that are critical).
  [[nodiscard]] std::vector<ObjectKey> eviction_order(const std::string& node) const;

  void on_event(const StoredEvent& event) override;
  void resync() override;

 protected:
  void sync(const ObjectKey& key) override;

 private:
  using Lives = std::list<PodLife>;  // more than one: an old one on a node that is cut off

  [[nodiscard]] PodLife begin(const Object& pod);
  void look(PodLife& life, const ObjectKey& key);
  void report(PodLife& life);
  [[nodiscard]] NodeFacts facts(const std::string& node);
  [[nodiscard]] bool hears(const std::string& node) const;
  PodLife* find(const ObjectKey& pod);

  std::unique_ptr<ContainerRuntime> idle_;
  ContainerRuntime* runtime_;
  std::map<ObjectKey, Lives> lives_;
  std::set<std::string> missing_images_;
  std::map<std::string, std::set<std::string>> images_;  // by node
  unsigned last_address_ = 0;
  bool writing_ = false;
};

}  // namespace davit::sim
