// StatefulSetController: pods of StatefulSets, as pkg/controller/statefulset makes them: in order
// of their ordinals, the next only when the one before is ready (or all at once: Parallel);
// OnDelete leaves running pods alone, RollingUpdate replaces them from the highest down to the
// partition; orphans that match are adopted; claims come from the templates and are kept or go by
// the retention policy.
//
// Revisions are remembered here and not as ControllerRevisions.
#pragma once

#include "sim/controllers/controller.hpp"

namespace davit::sim {

class StatefulSetController final : public Controller {
 public:
  explicit StatefulSetController(Hub& hub) : Controller(hub) {}

  void on_event(const StoredEvent& event) override;
  void resync() override { queue_all(hub_->stateful_sets); }

 protected:
  void sync(const ObjectKey& key) override;

 private:
  struct History {
    std::int64_t generation = -1;
    std::string update;                            // name of the revision of that generation
    std::map<std::string, json::value> templates;  // by revision
  };
  std::map<Uid, History> histories_;
};

}  // namespace davit::sim
