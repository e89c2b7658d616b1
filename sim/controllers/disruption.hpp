// DisruptionController: the status of PodDisruptionBudgets: how many pods they cover, how many are
// healthy, and how many may go (pkg/controller/disruption).
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class DisruptionController final : public Controller {
 public:
  explicit DisruptionController(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->budgets); }

 protected:
  void sync(const ObjectKey& key) override;

 private:
  [[nodiscard]] std::int64_t expected_pods(const std::vector<Object>& pods) const;
};

}  // namespace davit::sim
