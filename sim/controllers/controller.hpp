// Controller: what each simulated controller is: told of every change in the store, it queues the
// keys it has to look at, and syncs one key at a time, from what is there and not from what
// happened.
//
// Each can be switched off (a component that is down; it catches up afterwards) or slowed.
#pragma once

#include "sim/controllers/hub.hpp"
#include "sim/controllers/work_queue.hpp"

namespace davit::sim {

class Controller {
 public:
  explicit Controller(Hub& hub)
      : hub_(&hub), queue_(hub.loop, [this](const ObjectKey& key) { sync(key); }) {}
  virtual ~Controller() = default;
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  void set_enabled(bool enabled) { queue_.set_enabled(enabled); }
  [[nodiscard]] bool enabled() const { return queue_.enabled(); }
  // From a change to the look at it.
  void set_delay(Duration delay) { queue_.set_delay(delay); }
  [[nodiscard]] bool settled() const { return queue_.settled(); }

  virtual void on_event(const StoredEvent& event) = 0;
  // Looks at everything again.
  virtual void resync() = 0;

 protected:
  virtual void sync(const ObjectKey& key) = 0;
  void queue_all(const ResourceType& type) {
    for (const auto& [key, object] : hub_->store.all(type)) queue_.add(key);
  }
  [[nodiscard]] Monotonic now() const { return hub_->loop.now(); }

  Hub* hub_;
  WorkQueue queue_;
};

}  // namespace davit::sim
