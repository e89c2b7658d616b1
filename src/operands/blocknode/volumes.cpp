#include "operands/blocknode/volumes.hpp"

#include <fmt/format.h>

#include "base/mutant.hpp"
#include "operands/blocknode/child.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "wire/quantity.hpp"

namespace davit::blocknode {

namespace {

constexpr std::string_view kRequest = "spec.resources.requests.storage";

// -1, 0, 1; nullopt when either is no quantity.
std::optional<int> compare(std::string_view a, std::string_view b) {
  const auto left = wire::Quantity::parse(a);
  const auto right = wire::Quantity::parse(b);
  if (!left || !right) return std::nullopt;
  const auto order = *left <=> *right;
  return order < 0 ? -1 : order > 0 ? 1 : 0;
}

// Why a claim with our name is not ours; empty: it is.
std::string foreign_because(const BlockNode& node, const VolumeLayout& layout,
                            const json::object& live) {
  if (label_of(live, kManagedByLabel) != kManagedByDavit) return "it was not made by Davit";
  if (const std::string other = label_of(live, kNodeLabel); other != node.key.name) {
    return fmt::format("it belongs to BlockNode \"{}\"", other);
  }
  if (const std::string role = label_of(live, kVolumeLabel); role != layout.suffix) {
    return fmt::format("it is the {} volume", role);
  }
  const std::string network = annotation_of(live, kNetworkAnnotation);
  if (!network.empty() && network != node.spec.network.name) {
    return fmt::format("it holds data of network \"{}\"", network);
  }
  return {};
}

std::string resize_note(const json::object& live) {
  const json::array* conditions = wire::find_array(live, "status.conditions");
  if (conditions == nullptr) return {};
  for (const json::value& value : *conditions) {
    const json::object* condition = value.if_object();
    if (condition == nullptr) continue;
    const std::string_view type = wire::find_string(*condition, "type");
    if (type == "ControllerResizeError" || type == "NodeResizeError") {
      return std::string(wire::find_string(*condition, "message"));
    }
  }
  return {};
}

ClaimState state_of(const json::object& live) {
  if (kube::is_deleting(live)) return ClaimState::kTerminating;
  const std::string_view phase = wire::find_string(live, "status.phase");
  if (phase == "Bound") return ClaimState::kBound;
  return phase == "Lost" ? ClaimState::kLost : ClaimState::kPending;
}

json::array wanted_owners(const BlockNode& node, const json::object& live) {
  json::array owners;
  if (const json::array* existing = wire::find_array(live, "metadata.ownerReferences")) {
    for (const json::value& owner : *existing) {
      const json::object* object = owner.if_object();
      if (object == nullptr || wire::find_string(*object, "kind") == kBlockNodes.kind) continue;
      owners.push_back(owner);
    }
  }
  if (node.spec.policies.deletion == "Delete")
    owners.push_back(owner_reference(node.key, node.uid, true));
  return owners;
}

}  // namespace

std::vector<Claim> look_at_claims(const BlockNode& node, const ClaimLookup& lookup) {
  std::vector<Claim> claims;
  for (const MountedClaim& mounted : mounted_claims(node.spec)) {
    Claim claim;
    claim.layout = mounted.layout;
    claim.name = claim_of(node, mounted);
    claim.made_by_davit = !mounted.spec->existing_claim;
    const runtime::Object live = lookup(claim.name);
    if (live == nullptr) {
      claim.state = claim.made_by_davit ? ClaimState::kAbsent : ClaimState::kMissing;
      claims.push_back(std::move(claim));
      continue;
    }
    claim.state = state_of(*live);
    claim.storage_class = wire::find_string(*live, "spec.storageClassName");
    claim.volume = wire::find_string(*live, "spec.volumeName");
    claim.requested = wire::find_string(*live, kRequest);
    claim.capacity = wire::find_string(*live, "status.capacity.storage");
    claim.growing = claim.state == ClaimState::kBound &&
                    compare(claim.requested, claim.capacity).value_or(0) > 0;
    if (claim.growing) claim.note = resize_note(*live);
    if (claim.made_by_davit) {
      if (std::string why = foreign_because(node, *claim.layout, *live); !why.empty()) {
        claim.state = ClaimState::kForeign;
        claim.note = std::move(why);
      }
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

std::vector<Problem> claim_problems(const BlockNode& node, const std::vector<Claim>& claims) {
  std::vector<Problem> problems;
  for (const Claim& claim : claims) {
    if (!claim.made_by_davit || claim.requested.empty()) continue;
    if (claim.state == ClaimState::kForeign) continue;
    const VolumeSpec& spec = volume_spec(node.spec.storage, claim.layout->key);
    if (spec.size && compare(*spec.size, claim.requested).value_or(0) < 0 &&
        !mutant(kShrinkClaim)) {
      problems.push_back(
          {fmt::format("spec.storage.{}.size", claim.layout->key),
           fmt::format("{} is smaller than the {} claim {} has. A volume is never shrunk: set {} "
                       "or more",
                       *spec.size, claim.requested, claim.name, claim.requested)});
    }
    if (spec.storage_class_name && *spec.storage_class_name != claim.storage_class) {
      problems.push_back(
          {fmt::format("spec.storage.{}.storageClassName", claim.layout->key),
           fmt::format("claim {} has class \"{}\", which cannot change to \"{}\" without moving "
                       "the data",
                       claim.name, claim.storage_class, *spec.storage_class_name)});
    }
  }
  return problems;
}

json::object build_claim(const BlockNode& node, const VolumeLayout& layout) {
  json::object claim = child(node, kube::kPersistentVolumeClaims, claim_name(node.key, layout));
  json::object& metadata = claim["metadata"].as_object();
  metadata["labels"].as_object()[kVolumeLabel] = layout.suffix;
  metadata["annotations"] = json::object{{kNetworkAnnotation, node.spec.network.name}};
  if (node.spec.policies.deletion != "Delete") metadata.erase("ownerReferences");
  const VolumeSpec& volume = volume_spec(node.spec.storage, layout.key);
  json::object spec{
      {"accessModes", json::array{"ReadWriteOnce"}},
      {"volumeMode", "Filesystem"},
      {"resources",
       json::object{{"requests", json::object{{"storage", volume.size.value_or("1Gi")}}}}}};
  if (volume.storage_class_name) spec["storageClassName"] = *volume.storage_class_name;
  claim["spec"] = std::move(spec);
  return claim;
}

ClaimChange claim_change(const BlockNode& node, const Claim& claim, const json::object& live) {
  ClaimChange change;
  if (!claim.made_by_davit || claim.state == ClaimState::kForeign ||
      claim.state == ClaimState::kTerminating) {
    return change;
  }
  const VolumeSpec& spec = volume_spec(node.spec.storage, claim.layout->key);
  // A pending claim cannot be resized; the server refuses it.
  const int order = spec.size ? compare(*spec.size, claim.requested).value_or(0) : 0;
  if (claim.state == ClaimState::kBound && (order > 0 || (mutant(kShrinkClaim) && order < 0))) {
    wire::ensure_object(change.patch, "spec.resources.requests")["storage"] = *spec.size;
    change.grows = true;
  }
  json::array owners = wanted_owners(node, live);
  const json::array* existing = wire::find_array(live, "metadata.ownerReferences");
  const bool same_owners =
      existing == nullptr ? owners.empty() : wire::canonical(owners) == wire::canonical(*existing);
  if (!same_owners) {
    json::object& metadata = wire::ensure_object(change.patch, "metadata");
    metadata["ownerReferences"] = std::move(owners);
    change.adopts = node.spec.policies.deletion == "Delete";
  }
  const json::object wanted = build_claim(node, *claim.layout);
  for (const auto& member : *wire::find_object(wanted, "metadata.labels")) {
    const std::string_view name(member.key().data(), member.key().size());
    if (label_of(live, name) != std::string_view(member.value().as_string())) {
      wire::ensure_object(change.patch, "metadata.labels")[name] = member.value();
    }
  }
  if (annotation_of(live, kNetworkAnnotation).empty()) {
    wire::ensure_object(change.patch, "metadata.annotations")[kNetworkAnnotation] =
        node.spec.network.name;
  }
  // Lists are replaced whole by a merge patch: only over the version that was read.
  if (!change.patch.empty()) {
    wire::ensure_object(change.patch, "metadata")["resourceVersion"] = kube::version_of(live).value;
  }
  return change;
}

}  // namespace davit::blocknode
