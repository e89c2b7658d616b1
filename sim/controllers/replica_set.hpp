// ReplicaSetController: as many pods as wanted, whichever (pkg/controller/replicaset).
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class ReplicaSetController final : public Controller {
 public:
  explicit ReplicaSetController(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->replica_sets); }

 protected:
  void sync(const ObjectKey& key) override;
};

}  // namespace davit::sim
