// VolumeBinder: what the persistent-volume controller and a provisioner do for claims: the volume a
// claim names, or one that was reserved for it or fits, or a new one; at once or when a pod that
// needs it has its node (WaitForFirstConsumer). Bound, Lost.
//
// Disks outlive what is said here: a volume is one as long as its object is there.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class VolumeBinder final : public Controller {
 public:
  explicit VolumeBinder(Hub& hub) : Controller(hub) {}

  // Off: new claims stay Pending: there is no room, or the provisioner is down.
  void set_provisions(bool on);

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->claims); }

 protected:
  void sync(const ObjectKey& key) override;

 private:
  [[nodiscard]] Object class_of(const json::object& claim) const;
  [[nodiscard]] Object find_volume(const json::object& claim, std::string_view class_name) const;
  Object make_volume(const json::object& claim, const json::object& storage_class);
  bool reserve(Object& volume, const json::object& claim);
  void bind(const Object& claim, const Object& volume);

  bool provisions_ = true;
};

// What a claim asks for, or a volume has, in bytes; 0: nothing.
[[nodiscard]] std::int64_t bytes_at(const json::object& object, std::string_view path);
// The claim a volume is bound to or reserved for.
[[nodiscard]] ObjectKey claim_of(const json::object& volume);

}  // namespace davit::sim
