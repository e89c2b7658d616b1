// NodeController: what becomes of nodes and of the pods on them (pkg/controller/nodelifecycle,
// tainteviction, podgc):
//   a node that is not heard of for 40 s is Ready=Unknown, tainted, its pods are not ready, and
//   those that do not tolerate it longer (300 s by default) are deleted: they stay Terminating
//   until the node is back or somebody deletes them by force; a node under pressure says so, is
//   tainted, and its kubelet evicts a pod every ten seconds; pods on a node that was deleted are
//   deleted by force.
#pragma once

#include "sim/controllers/controller.hpp"
#include "sim/controllers/kubelet.hpp"

namespace davit::sim {

class NodeController final : public Controller {
 public:
  NodeController(Hub& hub, Kubelet& kubelet) : Controller(hub), kubelet_(&kubelet) {}

  Duration grace{std::chrono::seconds(40)};  // of silence

  void set_state(const std::string& node, MachineState state);
  enum class Pressure { kMemory, kDisk };
  void set_pressure(const std::string& node, Pressure pressure, bool on);

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->nodes); }

 protected:
  void sync(const ObjectKey& key) override;

 private:
  void update(const Object& node, const Machine& machine, bool lost);
  void unready_pods(const std::string& node);
  void evict_intolerant(const json::object& node);
  void collect_pods(const std::string& node);
  void relieve(const std::string& node, const Machine& machine);

  Kubelet* kubelet_;
  // When each NoExecute taint of a node was seen first, by node and key of the taint.
  std::map<std::string, std::map<std::string, Monotonic>> tainted_;
  std::map<std::string, Monotonic> last_eviction_;
  std::map<std::string, Monotonic> gone_since_;  // nodes that were deleted and still have pods
};

}  // namespace davit::sim
