// DeploymentController: a ReplicaSet per template, moved from the old ones to the newest by
// RollingUpdate or Recreate; conditions Available and Progressing (pkg/controller/deployment).
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class DeploymentController final : public Controller {
 public:
  explicit DeploymentController(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->deployments); }

 protected:
  void sync(const ObjectKey& key) override;

 private:
  struct Rollout;
  void follow(const Rollout& rollout);
  void report(const Rollout& rollout);
};

}  // namespace davit::sim
