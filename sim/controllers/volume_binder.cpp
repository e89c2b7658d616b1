#include "sim/controllers/volume_binder.hpp"

#include "sim/controllers/objects.hpp"
#include "sim/controllers/snapshots.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

constexpr std::chrono::seconds kRetry{5};  // while what it is made from is not ready
constexpr const char* kManager = "kube-controller-manager";
constexpr std::string_view kProvisioner = "sim.davit.hiero.org";
constexpr std::string_view kDefaultClass = "storageclass.kubernetes.io/is-default-class";

std::string_view class_name_of(const json::object& object) {
  return wire::find_string(object, "spec.storageClassName");
}

json::value modes_of(const json::object& claim) {
  const json::value* modes = wire::find(claim, "spec.accessModes");
  return modes ? *modes : json::value(json::array{"ReadWriteOnce"});
}

bool offers(const json::object& volume, const json::object& claim) {
  bool all = true;
  const json::array* has = wire::find_array(volume, "spec.accessModes");
  const json::value wanted = modes_of(claim);
  for (const json::value& mode : wanted.as_array()) {
    all = all && has && std::ranges::find(*has, mode) != has->end();
  }
  const json::object* selector = wire::find_object(claim, "spec.selector");
  return all && (!selector || label_selector_matches(*selector, volume));
}

}  // namespace

std::int64_t bytes_at(const json::object& object, std::string_view path) {
  const json::value* value = wire::find(object, path);
  const auto quantity = value ? wire::Quantity::parse(*value) : fail(Code::kInvalid, "absent");
  return quantity ? quantity->value() : 0;
}

ObjectKey claim_of(const json::object& volume) {
  return {std::string(wire::find_string(volume, "spec.claimRef.namespace")),
          std::string(wire::find_string(volume, "spec.claimRef.name"))};
}

void VolumeBinder::set_provisions(bool on) {
  provisions_ = on;
  if (on) resync();
}

void VolumeBinder::on_event(const StoredEvent& event) {
  if (event.type == &hub_->claims) {
    if (event.after) queue_.add(event.key);
  } else if (event.type == &hub_->volumes) {
    const ObjectKey claim = claim_of(event.after ? *event.after : *event.before);
    if (!claim.name.empty()) return queue_.add(claim);
    // A free volume: somebody may be waiting for one.
    for (const auto& [key, waiting] : hub_->store.all(hub_->claims)) {
      if (wire::find_string(*waiting, "status.phase") != "Bound") queue_.add(key);
    }
  } else if (event.type == &hub_->classes) {
    resync();
  }
}

Object VolumeBinder::class_of(const json::object& claim) const {
  const json::value* name = wire::find(claim, "spec.storageClassName");
  if (name && name->is_string()) {
    return hub_->store.get(hub_->classes, {"", std::string(name->as_string())});
  }
  for (const auto& [key, entry] : hub_->store.all(hub_->classes)) {
    if (text_of(*entry, "annotations", kDefaultClass) == "true") return entry;
  }
  return nullptr;
}

void VolumeBinder::sync(const ObjectKey& key) {
  const Object claim = hub_->store.get(hub_->claims, key);
  if (!claim) return;
  const std::string name(wire::find_string(*claim, "spec.volumeName"));
  const std::string_view phase = wire::find_string(*claim, "status.phase");
  Object volume = name.empty() ? nullptr : hub_->store.get(hub_->volumes, {"", name});
  if (phase == "Bound") {
    const bool mine =
        volume && wire::find_string(*volume, "spec.claimRef.uid") == kube::uid_of(*claim).value;
    if (mine) return;
    json::object status = *wire::find_object(*claim, "status");
    status["phase"] = "Lost";
    status.erase("capacity");
    status.erase("accessModes");
    hub_->write(hub_->claims, claim, "status", kManager,
                [&](json::object& object) { object["status"] = std::move(status); });
    return;
  }
  if (kube::is_deleting(*claim) || phase == "Lost") return;
  if (!name.empty()) {
    if (volume && reserve(volume, *claim)) bind(claim, volume);
    return;
  }
  const Object storage_class = class_of(*claim);
  const json::value* named = wire::find(*claim, "spec.storageClassName");
  const std::string class_name = storage_class                 ? kube::key_of(*storage_class).name
                                 : named && named->is_string() ? std::string(named->as_string())
                                                               : std::string();
  volume = find_volume(*claim, class_name);
  if (!volume) {
    if (!storage_class || !provisions_) return;
    const bool waits =
        wire::find_string(*storage_class, "volumeBindingMode") == "WaitForFirstConsumer";
    if (waits && text_of(*claim, "annotations", "volume.kubernetes.io/selected-node").empty()) {
      return;
    }
    if (!data_source_is_ready(*hub_, *claim)) {
      return queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
    }
    volume = make_volume(*claim, *storage_class);
  }
  if (volume && reserve(volume, *claim)) bind(claim, volume);
}

// One reserved for this claim, or the smallest free one that will do.
Object VolumeBinder::find_volume(const json::object& claim, std::string_view class_name) const {
  const ObjectKey key = kube::key_of(claim);
  const std::int64_t wanted = bytes_at(claim, "spec.resources.requests.storage");
  Object best;
  for (const auto& [volume_key, volume] : hub_->store.all(hub_->volumes)) {
    if (kube::is_deleting(*volume)) continue;
    const ObjectKey holder = claim_of(*volume);
    const std::string_view uid = wire::find_string(*volume, "spec.claimRef.uid");
    if (holder == key && (uid.empty() || uid == kube::uid_of(claim).value)) return volume;
    const std::int64_t has = bytes_at(*volume, "spec.capacity.storage");
    if (!holder.name.empty() || class_name_of(*volume) != class_name || has < wanted ||
        !offers(*volume, claim)) {
      continue;
    }
    if (!best || has < bytes_at(*best, "spec.capacity.storage")) best = volume;
  }
  return best;
}

Object VolumeBinder::make_volume(const json::object& claim, const json::object& storage_class) {
  const std::string name = "pvc-" + kube::uid_of(claim).value;
  if (Object there = hub_->store.get(hub_->volumes, {"", name})) return there;
  const std::string_view provisioner =
      wire::find_string(storage_class, "provisioner", kProvisioner);
  json::object spec{
      {"capacity",
       json::object{{"storage", *wire::find(claim, "spec.resources.requests.storage")}}},
      {"accessModes", modes_of(claim)},
      {"volumeMode", wire::find_string(claim, "spec.volumeMode", "Filesystem")},
      {"storageClassName", kube::key_of(storage_class).name},
      {"persistentVolumeReclaimPolicy",
       wire::find_string(storage_class, "reclaimPolicy", "Delete")},
      {"csi", json::object{{"driver", provisioner}, {"volumeHandle", name}}}};
  const ObjectKey key = kube::key_of(claim);
  spec["claimRef"] = json::object{{"apiVersion", "v1"},
                                  {"kind", "PersistentVolumeClaim"},
                                  {"namespace", key.ns},
                                  {"name", key.name},
                                  {"uid", kube::uid_of(claim).value}};
  json::object metadata{
      {"name", name},
      {"annotations", json::object{{"pv.kubernetes.io/provisioned-by", provisioner}}},
      {"finalizers", json::array{"kubernetes.io/pv-protection"}}};
  return hub_->create(hub_->volumes, "",
                      {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}},
                      "csi-provisioner");
}

// Makes the volume the claim's, if it is free for it. False: it is somebody else's.
bool VolumeBinder::reserve(Object& volume, const json::object& claim) {
  const ObjectKey key = kube::key_of(claim);
  const std::string uid = kube::uid_of(claim).value;
  const std::string_view holder_uid = wire::find_string(*volume, "spec.claimRef.uid");
  const ObjectKey holder = claim_of(*volume);
  if (holder == key && holder_uid == uid) return true;
  if (!holder_uid.empty() || (!holder.name.empty() && holder != key)) return false;
  const Object written =
      hub_->write(hub_->volumes, volume, "", kManager, [&](json::object& object) {
        json::object& reference = ensure_object(object, "spec.claimRef");
        reference["apiVersion"] = "v1";
        reference["kind"] = "PersistentVolumeClaim";
        reference["namespace"] = key.ns;
        reference["name"] = key.name;
        reference["uid"] = uid;
      });
  if (written) volume = written;
  return written != nullptr;
}

void VolumeBinder::bind(const Object& claim, const Object& volume) {
  const std::string name = kube::key_of(*volume).name;
  if (wire::find_string(*volume, "status.phase") != "Bound") {
    hub_->write(hub_->volumes, volume, "status", kManager,
                [](json::object& object) { ensure_object(object, "status")["phase"] = "Bound"; });
  }
  const bool named = !wire::find_string(*claim, "spec.volumeName").empty();
  const Object written = hub_->write(hub_->claims, claim, "", kManager, [&](json::object& object) {
    json::object& spec = ensure_object(object, "spec");
    spec["volumeName"] = name;
    const json::value* class_name = wire::find(*volume, "spec.storageClassName");
    if (class_name && !spec.contains("storageClassName")) {
      spec["storageClassName"] = *class_name;
    }
    json::object& annotations = ensure_object(ensure_object(object, "metadata"), "annotations");
    annotations["pv.kubernetes.io/bind-completed"] = "yes";
    if (!named) annotations["pv.kubernetes.io/bound-by-controller"] = "yes";
  });
  if (!written) return;
  hub_->write(hub_->claims, written, "status", kManager, [&](json::object& object) {
    json::object& status = ensure_object(object, "status");
    status["phase"] = "Bound";
    status["capacity"] = *wire::find(*volume, "spec.capacity");
    if (const json::value* modes = wire::find(*volume, "spec.accessModes")) {
      status["accessModes"] = *modes;
    }
  });
}

}  // namespace davit::sim
