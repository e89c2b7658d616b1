// Two accusations. A ready pod is deleted while another of its group is down by Davit's own hand:
// never lenient, a restart of Davit included, since that is what the budget is for. A ready pod is
// deleted while another is down by fate: when that has lasted long enough for Davit to know (five
// minutes: a silent watch is noticed after two and a half, and the list may have to wait).
//
// A node that has just joined or left a group counts after the same time. A pod that is not ready
// may be deleted at once: there is nothing to lose.
#include <fmt/format.h>

#include <map>

#include "operands/blocknode/names.hpp"
#include "operands/blocknode/types_schema.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr Duration kKnown = std::chrono::minutes(5);

class OneSlotPerDisruptionGroup final : public Judge {
 public:
  std::string_view name() const override { return "OneSlotPerDisruptionGroup"; }
  std::string_view rule() const override {
    return "Disruption has one budget: Davit takes no node down while another of its group is "
           "down.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (facts::is(event, "blocknodes")) return node(world, event);
    if (facts::is(event, "statefulsets")) {
      if (!event.after) down_.erase(event.key);
      if (!event.before) down_[event.key] = {world.loop.now(), false};
      return;
    }
    if (facts::is(event, "pods")) pod(world, change);
  }

 private:
  struct Node {
    std::int64_t generation = -1;
    std::string group;
    Monotonic since;
  };
  struct Down {
    Monotonic since;
    bool by_davit = false;
  };

  void node(World& world, const StoredEvent& event) {
    if (!event.after) {
      nodes_.erase(event.key);
      down_.erase(event.key);
      return;
    }
    Node& known = nodes_[event.key];
    const std::int64_t generation = kube::generation_of(*event.after);
    if (known.generation == generation) return;
    known.generation = generation;
    const auto read = blocknode::read_block_node(*event.after);
    if (!read) return;
    std::string group = blocknode::disruption_group(read->spec);
    if (group == known.group) return;
    known.group = std::move(group);
    known.since = world.loop.now();
  }

  void pod(World& world, const ChangeSeen& change) {
    const StoredEvent& event = *change.event;
    const ObjectKey key = facts::node_key_of(event.after ? *event.after : *event.before);
    if (key.name.empty()) return;
    const bool was_ready = event.before && facts::is_ready(*event.before);
    const bool is_ready = event.after && facts::is_ready(*event.after);
    if (is_ready) {
      down_.erase(key);
      return;
    }
    if (!was_ready) return;
    const bool ours = change.by_davit && facts::begins_to_go(event);
    if (ours) judge(world, key, change);
    down_[key] = {world.loop.now(), ours};
  }

  void judge(World& world, const ObjectKey& key, const ChangeSeen& change) {
    const auto self = nodes_.find(key);
    if (self == nodes_.end() || is_new(world, self->second)) return;
    for (const auto& [other, node] : nodes_) {
      if (other == key || node.group != self->second.group || is_new(world, node)) continue;
      const auto down = down_.find(other);
      if (down == down_.end()) continue;
      if (!down->second.by_davit && world.loop.now() - down->second.since < kKnown) continue;
      if (!world.server.find(kube::kStatefulSets, other)) continue;
      object(world,
             fmt::format("pod {} was deleted by {} while {} of the same group {} was down{}",
                         change.event->key.to_string(), change.cause->user, other.to_string(),
                         node.group, down->second.by_davit ? " by Davit's own hand" : ""));
    }
  }
  bool is_new(World& world, const Node& node) const {
    return world.loop.now() - node.since < kKnown;
  }

  std::map<ObjectKey, Node> nodes_;
  std::map<ObjectKey, Down> down_;
};

}  // namespace

std::unique_ptr<Judge> one_slot_per_disruption_group() {
  return std::make_unique<OneSlotPerDisruptionGroup>();
}

}  // namespace davit::sim
