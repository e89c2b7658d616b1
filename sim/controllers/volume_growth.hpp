// VolumeGrowth: what the resizer of a CSI driver and the kubelet do when a claim asks for more: the
// volume grows (condition Resizing), then its file system, once a running pod mounts it
// (FileSystemResizePending); and how either fails (ControllerResizeError, NodeResizeError).
//
// A class that does not allow it, or a volume without a class, never grows.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class VolumeGrowth final : public Controller {
 public:
  explicit VolumeGrowth(Hub& hub) : Controller(hub) {}

  Duration time{std::chrono::seconds(1)};  // of each of the two steps
  enum class Failure {
    kNone,
    kController,  // the storage refuses to make the volume larger
    kNode,        // the volume grows, the file system does not
    kStuck,       // nothing happens, nothing is said
  };
  void set_failure(Failure failure);

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->claims); }

 protected:
  void sync(const ObjectKey& key) override;

 private:
  // Replaces the conditions of growth by this one (empty: none) and says how far it is.
  void say(const Object& claim, std::string_view condition, std::string_view message,
           std::string_view step);
  void finish(const Object& claim, const json::value& storage);
  [[nodiscard]] bool is_mounted(const ObjectKey& claim) const;
  // True when the step's time has passed; asks for another look otherwise.
  bool takes_time(const ObjectKey& claim);

  Failure failure_ = Failure::kNone;
  std::map<ObjectKey, Monotonic> since_;
};

}  // namespace davit::sim
