// Cluster: the part of Kubernetes that acts on its own, for the kinds Davit relies on: the
// StatefulSet controller, the scheduler and kubelet, the volume binder, and the disruption
// controller.
//
//   sim::ApiServer server(loop, random);
//   sim::Cluster cluster(loop, server);
//   cluster.kubelet().set_behaviour([](const json::object& pod, Duration up) { return PodState{…};
//   });
//
// Level-triggered: a pass over the store runs `delay` after a change, and whenever a controller
// asked for a later look. Each can be switched off (a component that is down). One thread. Must go
// before the server.
#pragma once

#include <memory>
#include <optional>

#include "sim/api_server.hpp"
#include "sim/controllers/disruption.hpp"
#include "sim/controllers/kubelet.hpp"
#include "sim/controllers/stateful_set.hpp"
#include "sim/controllers/volume_binder.hpp"

namespace davit::sim {

class Cluster {
 public:
  Cluster(io::Loop& loop, ApiServer& server);
  ~Cluster() { loop_->cancel(pending_); }
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // How long after a change the controllers look.
  Duration delay{std::chrono::milliseconds(20)};

  StatefulSetController& stateful_sets() { return stateful_sets_; }
  Kubelet& kubelet() { return kubelet_; }
  VolumeBinder& volumes() { return volumes_; }
  DisruptionController& disruptions() { return disruptions_; }

  // A node that is Ready, and a default storage class that can expand volumes.
  void add_node(const std::string& name);
  void add_storage_class(const std::string& name, const std::string& reclaim_policy = "Delete");
  void wake() { wake_at(loop_->now() + delay); }

 private:
  void wake_at(Monotonic when);
  void run();

  io::Loop* loop_;
  Operations* operations_;
  StatefulSetController stateful_sets_;
  Kubelet kubelet_;
  VolumeBinder volumes_;
  DisruptionController disruptions_;
  io::CallbackId pending_ = 0;
  Monotonic pending_at_;
};

}  // namespace davit::sim
