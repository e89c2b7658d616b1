// Cluster: the part of Kubernetes that acts on its own: controllers, scheduler, kubelets.
//
//   sim::ApiServer server(loop, random);
//   sim::Cluster cluster(loop, server);
//   cluster.add_node("worker-1");
//   cluster.add_storage_class("standard");
//   cluster.kubelet().set_runtime(fleet);
//   cluster.nodes().set_state("worker-1", MachineState::kCutOff);
//
// Level-triggered: each controller looks at what changed a little after it changed, and again when
// it has reason to. Each can be switched off (a component that is down) or slowed. Everything is
// settled() when nothing will change by itself; a settled cluster writes nothing. One thread. Must
// go before the server; the runtime must outlive it.
#pragma once

#include <string_view>
#include <vector>

#include "sim/api_server.hpp"
#include "sim/controllers/daemon_set.hpp"
#include "sim/controllers/deployment.hpp"
#include "sim/controllers/disruption.hpp"
#include "sim/controllers/job.hpp"
#include "sim/controllers/kubelet.hpp"
#include "sim/controllers/nodes.hpp"
#include "sim/controllers/quota.hpp"
#include "sim/controllers/replica_set.hpp"
#include "sim/controllers/scheduler.hpp"
#include "sim/controllers/snapshots.hpp"
#include "sim/controllers/stateful_set.hpp"
#include "sim/controllers/volume_binder.hpp"
#include "sim/controllers/volume_growth.hpp"
#include "sim/controllers/volume_keeper.hpp"

namespace davit::sim {

// Of a new node. Quantities as in Kubernetes; empty: not limited.
struct NodeOptions {
  std::string cpu, memory, pods = "110";
  json::object labels;
  json::array taints;
};

struct StorageClassOptions {
  std::string reclaim_policy = "Delete";
  bool is_default = true;
  bool can_grow = true;
  bool wait_for_consumer = false;
};

class Cluster {
 public:
  Cluster(io::Loop& loop, ApiServer& server);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  Scheduler& scheduler() { return scheduler_; }
  Kubelet& kubelet() { return kubelet_; }
  NodeController& nodes() { return nodes_; }
  StatefulSetController& stateful_sets() { return stateful_sets_; }
  DaemonSetController& daemon_sets() { return daemon_sets_; }
  DeploymentController& deployments() { return deployments_; }
  ReplicaSetController& replica_sets() { return replica_sets_; }
  JobController& jobs() { return jobs_; }
  VolumeBinder& volumes() { return volumes_; }
  VolumeGrowth& growth() { return growth_; }
  VolumeKeeper& volume_keeper() { return volume_keeper_; }
  SnapshotController& snapshots() { return snapshots_; }
  DisruptionController& disruptions() { return disruptions_; }
  QuotaController& quotas() { return quotas_; }

  // A node that is Ready.
  void add_node(const std::string& name, const NodeOptions& options = {});
  void add_storage_class(const std::string& name, const StorageClassOptions& options = {});
  void add_storage_class(const std::string& name, const std::string& reclaim_policy) {
    add_storage_class(name, StorageClassOptions{.reclaim_policy = reclaim_policy});
  }

  // kubectl cordon and uncordon. False: no such node.
  bool cordon(const std::string& node, bool on = true);
  // One round of kubectl drain: cordons, then asks to evict each pod that no DaemonSet owns. How
  // many are left: those refused or still ending.
  std::size_t drain(const std::string& node);

  // By name: "kube-scheduler", "kubelet", or "kube-controller-manager" for all the others.
  void set_component_enabled(std::string_view component, bool enabled);
  // Everything is looked at again.
  void wake();
  [[nodiscard]] bool settled() const;

 private:
  Hub hub_;
  ApiServer* server_;
  Kubelet kubelet_;
  Scheduler scheduler_;
  NodeController nodes_;
  StatefulSetController stateful_sets_;
  DaemonSetController daemon_sets_;
  DeploymentController deployments_;
  ReplicaSetController replica_sets_;
  JobController jobs_;
  VolumeBinder volumes_;
  VolumeGrowth growth_;
  VolumeKeeper volume_keeper_;
  SnapshotController snapshots_;
  DisruptionController disruptions_;
  QuotaController quotas_;
  std::vector<Controller*> controllers_;
};

}  // namespace davit::sim
