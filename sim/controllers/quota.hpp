// ResourceQuota: hard limits of a namespace on pods, persistentvolumeclaims, requests.storage and
// count/…: what is used (status), and the refusal of what would be too much
// (pkg/controller/resourcequota, apiserver/pkg/admission/plugin/resourcequota).
#pragma once

#include "sim/admission.hpp"
#include "sim/controllers/controller.hpp"

namespace davit::sim {

class QuotaController final : public Controller {
 public:
  explicit QuotaController(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override;

 protected:
  void sync(const ObjectKey& key) override;

 private:
  [[nodiscard]] const ResourceType* type() const {
    return hub_->operations.registry().find("", "v1", "resourcequotas");
  }
};

// Refuses pods and claims that their namespace's quotas have no room for. What is used is counted
// when asked, as the real plugin's charge of status.used does at once.
[[nodiscard]] Admission quota_admission(Operations& operations);

}  // namespace davit::sim
