// VolumeKeeper: the other half of a volume's life: Available, Released or deleted by its reclaim
// policy when its claim is gone; and the finalizers that keep a claim while a pod uses it and a
// volume while a claim holds it.
//
// Keys are volumes (no namespace) and claims.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class VolumeKeeper final : public Controller {
 public:
  explicit VolumeKeeper(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override;

 protected:
  void sync(const ObjectKey& key) override;

 private:
  void keep_claim(const ObjectKey& key);
  void keep_volume(const ObjectKey& key);
  void protect(const ResourceType& type, const Object& object, const char* finalizer, bool used);
};

}  // namespace davit::sim
