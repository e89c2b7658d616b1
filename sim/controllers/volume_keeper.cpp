#include "sim/controllers/volume_keeper.hpp"

#include "sim/controllers/objects.hpp"
#include "sim/controllers/volume_binder.hpp"

namespace davit::sim {

namespace {
constexpr const char* kClaimProtection = "kubernetes.io/pvc-protection";
constexpr const char* kVolumeProtection = "kubernetes.io/pv-protection";
}  // namespace

void VolumeKeeper::on_event(const StoredEvent& event) {
  if (event.type == &hub_->claims) {
    if (event.after) queue_.add(event.key);
    const json::object& claim = event.after ? *event.after : *event.before;
    const std::string volume(wire::find_string(claim, "spec.volumeName"));
    if (!volume.empty() && (!event.after || kube::is_deleting(claim))) queue_.add({"", volume});
  } else if (event.type == &hub_->volumes) {
    if (event.after) queue_.add(event.key);
  } else if (event.type == &hub_->pods) {
    const bool ends = !event.after || is_finished(*event.after);
    if (!ends) return;
    for_each_claim(event.after ? *event.after : *event.before,
                   [&](std::string_view claim) { queue_.add({event.key.ns, std::string(claim)}); });
  }
}

void VolumeKeeper::resync() {
  queue_all(hub_->claims);
  queue_all(hub_->volumes);
}

void VolumeKeeper::sync(const ObjectKey& key) {
  if (key.ns.empty()) {
    keep_volume(key);
  } else {
    keep_claim(key);
  }
}

void VolumeKeeper::protect(const ResourceType& type, const Object& object, const char* finalizer,
                           bool used) {
  const bool has = has_finalizer(*object, finalizer);
  const bool deleting = kube::is_deleting(*object);
  if (deleting ? !has || used : has) return;
  hub_->write(type, object, "", "kube-controller-manager", [&](json::object& changed) {
    json::value& list = wire::ensure_object(changed, "metadata")["finalizers"];
    if (!list.is_array()) list.emplace_array();
    json::array& names = list.as_array();
    if (deleting) {
      names.erase(std::ranges::find(names, json::value(finalizer)));
      if (names.empty()) wire::ensure_object(changed, "metadata").erase("finalizers");
    } else {
      names.emplace_back(finalizer);
    }
  });
}

void VolumeKeeper::keep_claim(const ObjectKey& key) {
  const Object claim = hub_->store.get(hub_->claims, key);
  if (!claim) return;
  const PodIndex::Keys& users = hub_->pod_index.of_claim(key);
  const bool used = std::ranges::any_of(users, [&](const ObjectKey& user) {
    const Object pod = hub_->pod(user);
    // A pod that never came to a node holds nothing.
    return pod && !is_finished(*pod) && !wire::find_string(*pod, "spec.nodeName").empty();
  });
  protect(hub_->claims, claim, kClaimProtection, used);
}

void VolumeKeeper::keep_volume(const ObjectKey& key) {
  Object volume = hub_->store.get(hub_->volumes, key);
  if (!volume) return;
  const std::string uid(wire::find_string(*volume, "spec.claimRef.uid"));
  const Object claim = uid.empty() ? nullptr : hub_->store.get(hub_->claims, claim_of(*volume));
  const bool held = claim && kube::uid_of(*claim).value == uid;
  const std::string_view phase = wire::find_string(*volume, "status.phase");
  std::string_view wanted = phase;
  if (uid.empty()) {
    wanted = "Available";
  } else if (!held && (phase == "Bound" || phase == "Released")) {
    wanted = "Released";
  }
  if (wanted != phase) {
    volume = hub_->write(
        hub_->volumes, volume, "status", "kube-controller-manager",
        [&](json::object& object) { wire::ensure_object(object, "status")["phase"] = wanted; });
    if (!volume) return;
  }
  const bool ends = wanted == "Released" && !kube::is_deleting(*volume) &&
                    wire::find_string(*volume, "spec.persistentVolumeReclaimPolicy") == "Delete";
  if (ends) {
    (void)hub_->remove(hub_->volumes, *volume);
    return;  // the finalizer goes with the next look
  }
  protect(hub_->volumes, volume, kVolumeProtection, held);
}

}  // namespace davit::sim
