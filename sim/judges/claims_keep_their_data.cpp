// Lenient: a policy that was Delete within the last ten minutes may still be what Davit knows. A
// smaller request than a claim has is judged only where Davit shows that it knew the claim (by its
// version), since an old view is refused by the server anyway.
#include <fmt/format.h>

#include <map>

#include "operands/blocknode/names.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

constexpr Duration kMemory = std::chrono::minutes(10);
constexpr std::string_view kSize = "spec.resources.requests.storage";
constexpr std::string_view kReclaim = "spec.persistentVolumeReclaimPolicy";

bool is_smaller(std::string_view size, std::string_view than) {
  const auto a = wire::Quantity::parse(size);
  const auto b = wire::Quantity::parse(than);
  return a && b && *a < *b;
}

class ClaimsKeepTheirData final : public Judge {
 public:
  std::string_view name() const override { return "ClaimsKeepTheirData"; }
  std::string_view rule() const override {
    return "Rule 7: Davit deletes and shrinks no claim and no volume, and lets one go only under "
           "policies.deletion Delete.";
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (info.verb != "patch" || info.resource != "persistentvolumeclaims" ||
        !World::is_davit(info.user)) {
      return;
    }
    const Object live = world.server.find(kube::kPersistentVolumeClaims, info.key);
    const auto patch = wire::parse_json_object(request.request->body);
    if (!live || !patch) return;
    const std::string_view version = wire::find_string(*patch, "metadata.resourceVersion");
    if (!version.empty() && version != kube::version_of(*live).value) return;
    const std::string_view wanted = wire::find_string(*patch, kSize);
    if (!wanted.empty() && is_smaller(wanted, wire::find_string(*live, kSize))) {
      object(world, fmt::format("claim {} has {} and {} asked for {}", info.key.to_string(),
                                wire::find_string(*live, kSize), info.user, wanted));
    }
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (facts::is(event, "blocknodes")) return remember(world, event);
    if (!change.by_davit) return;
    if (facts::is(event, "persistentvolumeclaims")) claim(world, change);
    if (facts::is(event, "persistentvolumes")) volume(world, change);
  }

  void at_end(World& world) override {
    for (const Object& claim : world.all(kube::kPersistentVolumeClaims)) {
      const Object node = facts::node_of(world, *claim);
      if (!node || kube::is_deleting(*node) || facts::deletion_policy(*node) == "Delete") continue;
      if (facts::condition(*node, "DataProtected").status != "True") continue;
      const std::string role = blocknode::label_of(*claim, blocknode::kVolumeLabel);
      if (role == "logs" || role == "plugins") continue;
      const std::string volume_name(wire::find_string(*claim, "spec.volumeName"));
      const Object volume = world.server.find(kube::kPersistentVolumes, {{}, volume_name});
      if (!volume || wire::find_string(*volume, kReclaim) == "Retain") continue;
      object(world,
             fmt::format("volume {} of claim {} has reclaim policy {}, but BlockNode {} "
                         "says DataProtected",
                         volume_name, kube::key_of(*claim).to_string(),
                         wire::find_string(*volume, kReclaim), kube::key_of(*node).to_string()));
    }
  }

 private:
  void remember(World& world, const StoredEvent& event) {
    for (const Object& node : {event.before, event.after}) {
      if (node && facts::deletion_policy(*node) == "Delete") {
        let_go_[event.key.ns] = world.loop.now();
      }
    }
  }
  // Some node of the namespace has, or lately had, the policy Delete.
  bool may_let_go(World& world, const std::string& ns) {
    const auto last = let_go_.find(ns);
    if (last == let_go_.end()) return false;
    if (world.loop.now() - last->second < kMemory) return true;
    for (const Object& node : world.all(blocknode::kBlockNodes)) {
      if (kube::key_of(*node).ns == ns && facts::deletion_policy(*node) == "Delete") return true;
    }
    return false;
  }

  void claim(World& world, const ChangeSeen& change) {
    const StoredEvent& event = *change.event;
    const std::string& who = change.cause->user;
    if (facts::begins_to_go(event)) {
      return object(world, fmt::format("claim {} was deleted by {}", event.key.to_string(), who));
    }
    if (!event.after) return;
    if (event.before && is_smaller(wire::find_string(*event.after, kSize),
                                   wire::find_string(*event.before, kSize))) {
      object(world, fmt::format("claim {} was shrunk by {}", event.key.to_string(), who));
    }
    const bool owned_before = event.before && !facts::owning_node(*event.before).empty();
    if (!owned_before && !facts::owning_node(*event.after).empty() &&
        !may_let_go(world, event.key.ns)) {
      object(world, fmt::format("claim {} was given an owner by {}: it goes with its BlockNode, "
                                "whose policy is not Delete",
                                event.key.to_string(), who));
    }
  }

  void volume(World& world, const ChangeSeen& change) {
    const StoredEvent& event = *change.event;
    const std::string& who = change.cause->user;
    if (facts::begins_to_go(event)) {
      return object(world, fmt::format("volume {} was deleted by {}", event.key.name, who));
    }
    if (!event.before || !event.after) return;
    const std::string ns(wire::find_string(*event.before, "spec.claimRef.namespace"));
    if (wire::find_string(*event.before, kReclaim) == "Retain" &&
        wire::find_string(*event.after, kReclaim) != "Retain" && !may_let_go(world, ns)) {
      object(world, fmt::format("volume {} lost its reclaim policy Retain through {}",
                                event.key.name, who));
    }
    const std::string_view bound = wire::find_string(*event.before, "spec.claimRef.uid");
    if (bound.empty() || bound == wire::find_string(*event.after, "spec.claimRef.uid")) return;
    const ObjectKey claim{ns, std::string(wire::find_string(*event.before, "spec.claimRef.name"))};
    const Object live = world.server.find(kube::kPersistentVolumeClaims, claim);
    if (live && kube::uid_of(*live).value == bound) {
      object(world, fmt::format("volume {} was taken from its claim {} by {}", event.key.name,
                                claim.to_string(), who));
    }
  }

  std::map<std::string, Monotonic> let_go_;  // by namespace: when a policy Delete was last seen
};

}  // namespace

std::unique_ptr<Judge> claims_keep_their_data() { return std::make_unique<ClaimsKeepTheirData>(); }

}  // namespace davit::sim
