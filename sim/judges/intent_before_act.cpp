// What is Davit's intent, written? For a restart: the StatefulSet's template, seen by the
// StatefulSet controller, so that whoever comes next makes the right pod. For a volume that is
// kept: the reclaim policy it had, beside the one it gets, so that it can be given back.
#include <fmt/format.h>

#include <map>

#include "operands/blocknode/names.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

class IntentBeforeAct final : public Judge {
 public:
  std::string_view name() const override { return "IntentBeforeAct"; }
  std::string_view rule() const override {
    return "Rule 3: before an act that cannot be undone, what it is for is written down.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (facts::is(event, "statefulsets")) return remember(event);
    if (!change.by_davit) return;
    if (facts::is(event, "pods") && facts::begins_to_go(event)) restart(world, change);
    if (facts::is(event, "persistentvolumes")) keep(world, change);
  }

 private:
  // The generation with which the template became what it is.
  void remember(const StoredEvent& event) {
    if (!event.after) {
      since_.erase(event.key);
      return;
    }
    if (event.before && facts::template_of(*event.before) == facts::template_of(*event.after)) {
      return;
    }
    since_[event.key] = kube::generation_of(*event.after);
  }

  void restart(World& world, const ChangeSeen& change) {
    const ObjectKey node = facts::node_key_of(*change.event->before);
    const Object set = world.server.find(kube::kStatefulSets, node);
    const auto since = since_.find(node);
    if (!set || since == since_.end()) return;
    const auto seen = wire::find_int(*set, "status.observedGeneration").value_or(0);
    if (seen >= since->second) return;
    object(world, fmt::format("pod {} was deleted by {} before the StatefulSet controller had seen "
                              "the template of the next one",
                              change.event->key.to_string(), change.cause->user));
  }

  void keep(World& world, const ChangeSeen& change) {
    const StoredEvent& event = *change.event;
    if (!event.before || !event.after) return;
    constexpr std::string_view kPolicy = "spec.persistentVolumeReclaimPolicy";
    const std::string_view had = wire::find_string(*event.before, kPolicy);
    if (had == "Retain" || wire::find_string(*event.after, kPolicy) != "Retain") return;
    if (blocknode::annotation_of(*event.after, blocknode::kReclaimAnnotation) == had) return;
    object(world, fmt::format("volume {} was set to Retain by {}, and nothing says that it had {}",
                              event.key.name, change.cause->user, had));
  }

  std::map<ObjectKey, std::int64_t> since_;
};

}  // namespace

std::unique_ptr<Judge> intent_before_act() { return std::make_unique<IntentBeforeAct>(); }

}  // namespace davit::sim
