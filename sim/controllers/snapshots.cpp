#include "sim/controllers/snapshots.hpp"

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

constexpr const char* kGroup = "snapshot.storage.k8s.io";
constexpr const char* kManager = "snapshot-controller";
constexpr std::chrono::seconds kRetry{10};

const ResourceType* find_type(const Hub& hub, const char* plural) {
  return hub.operations.registry().find(kGroup, "v1", plural);
}

}  // namespace

const ResourceType* SnapshotController::snapshots() const {
  return find_type(*hub_, "volumesnapshots");
}

const ResourceType* SnapshotController::contents() const {
  return find_type(*hub_, "volumesnapshotcontents");
}

void SnapshotController::set_failing(bool failing) {
  failing_ = failing;
  resync();
}

void SnapshotController::on_event(const StoredEvent& event) {
  if (event.type->group == kGroup && event.type->plural == "volumesnapshots") {
    queue_.add(event.key);
    if (!event.after) drop(event.key, *event.before);
  }
}

void SnapshotController::resync() {
  if (const ResourceType* type = snapshots()) queue_all(*type);
}

// The content goes with its snapshot, unless it is to be kept.
void SnapshotController::drop(const ObjectKey& key, const json::object& snapshot) {
  started_.erase(kube::uid_of(snapshot));
  const auto made = made_.find(key);
  if (made == made_.end()) return;
  const ResourceType* type = contents();
  const Object content = type ? hub_->store.get(*type, {"", made->second}) : nullptr;
  made_.erase(made);
  if (content && wire::find_string(*content, "spec.deletionPolicy") == "Delete") {
    (void)hub_->remove(*type, *content);
  }
}

void SnapshotController::sync(const ObjectKey& key) {
  const ResourceType* type = snapshots();
  const Object snapshot = type ? hub_->store.get(*type, key) : nullptr;
  if (!snapshot || !contents() || kube::is_deleting(*snapshot)) return;
  if (wire::find_bool(*snapshot, "status.readyToUse", false)) return;
  const std::string source(wire::find_string(*snapshot, "spec.source.persistentVolumeClaimName"));
  const Object claim = hub_->store.get(hub_->claims, {key.ns, source});
  const bool bound = claim && wire::find_string(*claim, "status.phase") == "Bound";
  if (!source.empty() && (!bound || failing_)) {
    const std::string message =
        failing_ ? "Failed to create snapshot: rpc error: code = Internal desc = the storage "
                   "refuses"
                 : "Failed to create snapshot content with error snapshot controller failed to "
                   "update " +
                       source + " on API server: cannot get claim from snapshot";
    if (wire::find_string(*snapshot, "status.error.message") != message) {
      hub_->write(*type, snapshot, "status", kManager, [&](json::object& object) {
        object["status"] =
            json::object{{"readyToUse", false},
                         {"error", json::object{{"message", message}, {"time", hub_->now_text()}}}};
      });
    }
    return queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
  }
  const auto [started, is_new] = started_.try_emplace(kube::uid_of(*snapshot), now());
  if (now() - started->second < time) {
    return queue_.add_at(key, started->second + time, Wait::kProgress);
  }
  finish(*type, snapshot);
}

void SnapshotController::finish(const ResourceType& type, const Object& snapshot) {
  const ObjectKey key = kube::key_of(*snapshot);
  const std::string source(wire::find_string(*snapshot, "spec.source.persistentVolumeClaimName"));
  std::string content(wire::find_string(*snapshot, "spec.source.volumeSnapshotContentName"));
  json::value size = "0";
  if (!source.empty()) {
    content = "snapcontent-" + kube::uid_of(*snapshot).value;
    const Object claim = hub_->store.get(hub_->claims, {key.ns, source});
    size = *wire::find(*claim, "status.capacity.storage");
    const std::string volume(wire::find_string(*claim, "spec.volumeName"));
    json::object spec{{"deletionPolicy", "Delete"},
                      {"driver", "sim.davit.hiero.org"},
                      {"source", json::object{{"volumeHandle", volume}}},
                      {"volumeSnapshotRef", json::object{{"kind", "VolumeSnapshot"},
                                                         {"namespace", key.ns},
                                                         {"name", key.name},
                                                         {"uid", kube::uid_of(*snapshot).value}}}};
    hub_->create(*contents(), "",
                 {{"metadata", json::object{{"name", content}}}, {"spec", std::move(spec)}},
                 kManager);
    made_[key] = content;
  }
  const Object made = hub_->store.get(*contents(), {"", content});
  if (!made) return queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
  hub_->write(*contents(), made, "status", kManager, [&](json::object& object) {
    object["status"] = json::object{{"readyToUse", true}, {"snapshotHandle", "snap-" + content}};
  });
  const std::string now_text = hub_->now_text();
  hub_->write(type, snapshot, "status", kManager, [&](json::object& object) {
    object["status"] = json::object{{"readyToUse", true},
                                    {"boundVolumeSnapshotContentName", content},
                                    {"creationTime", now_text},
                                    {"restoreSize", size}};
  });
}

bool data_source_is_ready(const Hub& hub, const json::object& claim) {
  const std::string name(wire::find_string(claim, "spec.dataSource.name"));
  if (name.empty()) return true;
  const ObjectKey key{kube::key_of(claim).ns, name};
  if (wire::find_string(claim, "spec.dataSource.kind") == "PersistentVolumeClaim") {
    const Object source = hub.store.get(hub.claims, key);
    return source && wire::find_string(*source, "status.phase") == "Bound";
  }
  const ResourceType* type = find_type(hub, "volumesnapshots");
  const Object snapshot = type ? hub.store.get(*type, key) : nullptr;
  return snapshot && wire::find_bool(*snapshot, "status.readyToUse", false);
}

}  // namespace davit::sim
