// DaemonSetController: one pod on each node that its template selects and tolerates; replaced one
// by one (RollingUpdate, maxUnavailable) or when they are deleted (OnDelete); failed ones again
// (pkg/controller/daemon). The pods are bound by the scheduler, by way of a node affinity.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class DaemonSetController final : public Controller {
 public:
  explicit DaemonSetController(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->daemon_sets); }

 protected:
  void sync(const ObjectKey& key) override;
};

}  // namespace davit::sim
