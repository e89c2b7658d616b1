// Ours is what a BlockNode controls by UID, what carries our applied-hash and has no controller (it
// was orphaned), and claims, budgets and volumes that Davit made (by label and name: claims are
// found again after their BlockNode). Of BlockNodes only the status is written.
//
// Lenient: a namesake that somebody made after Davit had read that there is none.
#include <fmt/format.h>

#include <map>
#include <set>

#include "operands/blocknode/names.hpp"
#include "runtime/applier.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

using blocknode::kManagedByDavit;
using blocknode::kManagedByLabel;
using blocknode::label_of;

bool is_applied_kind(std::string_view plural) {
  return plural == "statefulsets" || plural == "services" || plural == "configmaps" ||
         plural == "serviceaccounts";
}

class OnlyOwnChildrenAreTouched final : public Judge {
 public:
  std::string_view name() const override { return "OnlyOwnChildrenAreTouched"; }
  std::string_view rule() const override {
    return "Rule 4: Davit writes to its own children only, known by owner UID, and never to what a "
           "user specified.";
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (info.verb != "get" || request.response == nullptr || request.response->status != 404)
      return;
    if (World::is_davit(info.user)) absent_[{info.resource, info.key}] = world.loop.now();
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    const std::string& plural = event.type->plural;
    if (plural == "blocknodes" && event.after && !event.before) {
      nodes_.insert(kube::uid_of(*event.after).value);
    }
    if (!change.by_davit) {
      if (!event.before && is_applied_kind(plural)) {
        born_[{event.type->qualified(), event.key}] = world.loop.now();
      }
      return;
    }
    const std::string why = wrong(world, change);
    if (!why.empty()) {
      object(world, fmt::format("{} was changed by {}: {}", facts::name_of(event),
                                change.cause->user, why));
    }
  }

 private:
  using Named = std::pair<std::string, ObjectKey>;

  // What is wrong with Davit's change; empty: nothing.
  std::string wrong(World& world, const ChangeSeen& change) {
    const StoredEvent& event = *change.event;
    const std::string& plural = event.type->plural;
    if (plural == "events" || plural == "leases") return {};
    if (plural == "blocknodes") {
      return change.cause->resource.ends_with("/status") ? "" : "only its status is Davit's";
    }
    if (is_applied_kind(plural)) return applied(event);
    if (plural == "persistentvolumeclaims" || plural == "poddisruptionbudgets") {
      const bool ours =
          !event.before || label_of(*event.before, kManagedByLabel) == kManagedByDavit;
      return ours ? "" : "it was not made by Davit";
    }
    if (plural == "pods") {
      return facts::node_key_of(*event.before).name.empty() ? "it is no Block Node's pod" : "";
    }
    if (plural == "persistentvolumes") return volume(world, *event.before);
    return "Davit has nothing to do with this kind";
  }

  std::string applied(const StoredEvent& event) const {
    if (!event.before) return {};
    const std::string holder = kube::controller_of(*event.before).value;
    if (holder.empty()) {
      if (!blocknode::annotation_of(*event.before, runtime::kAppliedHashAnnotation).empty()) {
        return {};
      }
      return came_unseen(event) ? "" : "nothing says that Davit made it";
    }
    if (!nodes_.contains(holder)) {
      return came_unseen(event) ? "" : "its controller is no BlockNode";
    }
    if (!event.after) return {};
    const std::string next = kube::controller_of(*event.after).value;
    if (next.empty() || next == holder) return {};
    return fmt::format("it belonged to the BlockNode with UID {} and was taken for {}", holder,
                       next);
  }
  // Made by somebody after Davit had read that it was not there.
  [[nodiscard]] bool came_unseen(const StoredEvent& event) const {
    const Named name{event.type->qualified(), event.key};
    const auto born = born_.find(name);
    const auto absent = absent_.find(name);
    return born != born_.end() && absent != absent_.end() && born->second >= absent->second;
  }

  static std::string volume(World& world, const json::object& volume) {
    const ObjectKey claim{std::string(wire::find_string(volume, "spec.claimRef.namespace")),
                          std::string(wire::find_string(volume, "spec.claimRef.name"))};
    if (const Object live = world.server.find(kube::kPersistentVolumeClaims, claim)) {
      return label_of(*live, kManagedByLabel) == kManagedByDavit ? "" : "its claim is not Davit's";
    }
    for (const blocknode::VolumeLayout& layout : blocknode::kVolumes) {
      if (claim.name.ends_with("-" + std::string(layout.suffix))) return {};
    }
    return "it is no Block Node's volume";
  }

  std::set<std::string, std::less<>> nodes_;  // UIDs of all BlockNodes there ever were
  std::map<Named, Monotonic> born_, absent_;
};

}  // namespace

std::unique_ptr<Judge> only_own_children_are_touched() {
  return std::make_unique<OnlyOwnChildrenAreTouched>();
}

}  // namespace davit::sim
