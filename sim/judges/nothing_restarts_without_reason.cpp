// A pod is deleted only when its StatefulSet wants another template, and that template changes only
// when the spec, or what pins the form, does. Restarts, upgrades and a wiped status of Davit are no
// reasons.
//
// Lenient: the template of a minute ago may be what Davit's cache still has; a spec edited within
// the last four minutes may come in two steps (a silent watch is noticed after two and a half).
#include <fmt/format.h>

#include <map>

#include "operands/blocknode/names.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr Duration kOldView = std::chrono::minutes(1);
constexpr Duration kOldSpec = std::chrono::minutes(4);

struct Pins {
  std::string form, image;
  friend bool operator==(const Pins&, const Pins&) = default;
};

Pins pins_of(const json::object& object) {
  return {blocknode::annotation_of(object, blocknode::kCompatibilityAnnotation),
          blocknode::annotation_of(object, blocknode::kDavitImageAnnotation)};
}

class NothingRestartsWithoutReason final : public Judge {
 public:
  std::string_view name() const override { return "NothingRestartsWithoutReason"; }
  std::string_view rule() const override {
    return "Rules 8 and 12: Davit restarts a server only to take up a change of its spec.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (facts::is(event, "blocknodes")) return spec(world, event);
    if (facts::is(event, "statefulsets")) return statefulset(world, change);
    if (facts::is(event, "pods") && change.by_davit && facts::begins_to_go(event)) {
      pod(world, change);
    }
  }

 private:
  void spec(World& world, const StoredEvent& event) {
    const bool same = event.before && event.after &&
                      kube::uid_of(*event.before) == kube::uid_of(*event.after) &&
                      kube::generation_of(*event.before) == kube::generation_of(*event.after);
    if (!same) spec_changed_[event.key] = world.loop.now();
  }

  void statefulset(World& world, const ChangeSeen& change) {
    const StoredEvent& event = *change.event;
    if (!event.before || !event.after) {
      template_changed_[event.key] = world.loop.now();
      return;
    }
    // A stranger's hand on the pins or the template is a reason to write it again.
    const bool other_pins = pins_of(*event.before) != pins_of(*event.after);
    const std::string_view before = facts::template_of(*event.before);
    const std::string_view after = facts::template_of(*event.after);
    if (!change.by_davit && (other_pins || before != after)) {
      spec_changed_[event.key] = world.loop.now();
    }
    if (before == after) return;
    const auto written = template_changed_.find(event.key);
    const auto edited = spec_changed_.find(event.key);
    const Monotonic last = written == template_changed_.end() ? Monotonic{} : written->second;
    const bool reason = edited != spec_changed_.end() && edited->second + kOldSpec >= last;
    if (change.by_davit && !before.empty() && !reason) {
      object(world, fmt::format("the pod template of StatefulSet {} was changed by {} although "
                                "nobody had changed the spec since the last time",
                                event.key.to_string(), change.cause->user));
    }
    template_changed_[event.key] = world.loop.now();
  }

  void pod(World& world, const ChangeSeen& change) {
    const json::object& pod = *change.event->before;
    const ObjectKey node = facts::node_key_of(pod);
    const Object set = world.server.find(kube::kStatefulSets, node);
    const std::string digest = blocknode::annotation_of(pod, blocknode::kTemplateAnnotation);
    if (set && facts::template_of(*set) != digest) return;
    const auto changed = template_changed_.find(node);
    if (changed != template_changed_.end() && world.loop.now() - changed->second < kOldView) return;
    object(world, fmt::format("pod {} was deleted by {}, though it {}",
                              change.event->key.to_string(), change.cause->user,
                              set ? "is what its StatefulSet wants" : "has no StatefulSet"));
  }

  // By the name that BlockNode and StatefulSet share.
  std::map<ObjectKey, Monotonic> spec_changed_, template_changed_;
};

}  // namespace

std::unique_ptr<Judge> nothing_restarts_without_reason() {
  return std::make_unique<NothingRestartsWithoutReason>();
}

}  // namespace davit::sim
