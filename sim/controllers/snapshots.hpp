// SnapshotController: VolumeSnapshots of claims, when their kinds are registered (the CRDs of
// external-snapshotter): a VolumeSnapshotContent for each, ready after a while; deleted with its
// snapshot unless its policy is Retain. A claim with a dataSource gets its volume from the binder,
// once that is ready.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class SnapshotController final : public Controller {
 public:
  explicit SnapshotController(Hub& hub) : Controller(hub) {}

  Duration time{std::chrono::seconds(5)};  // until a snapshot is ready to use
  // Snapshots fail: status.error says why.
  void set_failing(bool failing);

  void on_event(const StoredEvent& event) override;
  void resync() override;

 protected:
  void sync(const ObjectKey& key) override;

 private:
  [[nodiscard]] const ResourceType* snapshots() const;
  [[nodiscard]] const ResourceType* contents() const;
  void finish(const ResourceType& type, const Object& snapshot);
  void drop(const ObjectKey& key, const json::object& snapshot);

  bool failing_ = false;
  std::map<Uid, Monotonic> started_;
  std::map<ObjectKey, std::string> made_;  // content of each snapshot
};

// Whether the snapshot a claim is to be restored from is ready; true without a dataSource.
[[nodiscard]] bool data_source_is_ready(const Hub& hub, const json::object& claim);

}  // namespace davit::sim
