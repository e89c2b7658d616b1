#include "sim/controllers/volume_growth.hpp"

#include "sim/controllers/objects.hpp"
#include "sim/controllers/volume_binder.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

constexpr std::chrono::seconds kRetry{30};  // after a failure
constexpr std::string_view kConditions[] = {"Resizing", "FileSystemResizePending",
                                            "ControllerResizeError", "NodeResizeError"};

bool asks_for_more(const json::object& claim) {
  return wire::find_string(claim, "status.phase") == "Bound" &&
         bytes_at(claim, "spec.resources.requests.storage") >
             bytes_at(claim, "status.capacity.storage");
}

void drop_conditions(json::object& status) {
  json::value* list = status.if_contains("conditions");
  if (!list || !list->is_array()) return;
  json::array kept;
  for (const json::value& condition : list->as_array()) {
    const std::string_view type = wire::find_string(condition.as_object(), "type");
    if (std::ranges::find(kConditions, type) == std::end(kConditions)) kept.push_back(condition);
  }
  status.erase("conditions");
  if (!kept.empty()) status["conditions"] = std::move(kept);
}

}  // namespace

void VolumeGrowth::set_failure(Failure failure) {
  failure_ = failure;
  resync();
}

void VolumeGrowth::on_event(const StoredEvent& event) {
  if (event.type == &hub_->claims) {
    if (!event.after) {
      since_.erase(event.key);
    } else if (asks_for_more(*event.after)) {
      queue_.add(event.key);
    }
  } else if (event.type == &hub_->pods && event.after &&
             wire::find_string(*event.after, "status.phase") == "Running" &&
             (!event.before || wire::find_string(*event.before, "status.phase") != "Running")) {
    for_each_claim(*event.after,
                   [&](std::string_view claim) { queue_.add({event.key.ns, std::string(claim)}); });
  }
}

bool VolumeGrowth::is_mounted(const ObjectKey& claim) const {
  return std::ranges::any_of(hub_->pod_index.of_claim(claim), [&](const ObjectKey& key) {
    const Object pod = hub_->pod(key);
    if (!pod || wire::find_string(*pod, "status.phase") != "Running") return false;
    const auto machine = hub_->machines.find(std::string(wire::find_string(*pod, "spec.nodeName")));
    return machine == hub_->machines.end() || machine->second.state == MachineState::kUp;
  });
}

bool VolumeGrowth::takes_time(const ObjectKey& claim) {
  const auto [since, is_new] = since_.try_emplace(claim, now());
  if (now() - since->second < time) {
    queue_.add_at(claim, since->second + time, Wait::kProgress);
    return false;
  }
  since_.erase(since);
  return true;
}

void VolumeGrowth::sync(const ObjectKey& key) {
  const Object claim = hub_->store.get(hub_->claims, key);
  if (!claim || kube::is_deleting(*claim) || !asks_for_more(*claim)) {
    since_.erase(key);
    return;
  }
  if (failure_ == Failure::kStuck) return;
  const Object storage_class = hub_->store.get(
      hub_->classes, {"", std::string(wire::find_string(*claim, "spec.storageClassName"))});
  const Object volume = hub_->store.get(
      hub_->volumes, {"", std::string(wire::find_string(*claim, "spec.volumeName"))});
  if (!storage_class || !volume ||
      !wire::find_bool(*storage_class, "allowVolumeExpansion", false)) {
    return;
  }
  const json::value wanted = *wire::find(*claim, "spec.resources.requests.storage");
  if (bytes_at(*volume, "spec.capacity.storage") <
      bytes_at(*claim, "spec.resources.requests.storage")) {
    if (failure_ == Failure::kController) {
      say(claim, "ControllerResizeError",
          "failed to expand volume: rpc error: code = OutOfRange desc = not enough room in the "
          "storage pool",
          "ControllerResizeInfeasible");
      return queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
    }
    say(claim, "Resizing", "", "ControllerResizeInProgress");
    if (!takes_time(key)) return;
    const Object grown = hub_->write(
        hub_->volumes, volume, "", "csi-resizer",
        [&](json::object& object) { ensure_object(object, "spec.capacity")["storage"] = wanted; });
    if (grown) queue_.add(key);
    return;
  }
  if (failure_ == Failure::kNode && is_mounted(key)) {
    say(claim, "NodeResizeError", "failed to expand the file system: resize2fs: exit status 1",
        "NodeResizeInfeasible");
    return queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
  }
  say(claim, "FileSystemResizePending",
      "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
      "NodeResizePending");
  if (!is_mounted(key)) {
    since_.erase(key);
    return;
  }
  if (takes_time(key)) finish(hub_->store.get(hub_->claims, key), wanted);
}

void VolumeGrowth::say(const Object& claim, std::string_view condition, std::string_view message,
                       std::string_view step) {
  json::object status;
  if (const json::object* old = wire::find_object(*claim, "status")) status = *old;
  json::array conditions;
  const json::object* old = condition_of(*claim, condition);
  drop_conditions(status);
  if (const json::array* others = wire::find_array(status, "conditions")) conditions = *others;
  if (old) conditions.push_back(*old);
  set_condition(conditions, condition, "True", "", message, hub_->now_text());
  status["conditions"] = std::move(conditions);
  status["allocatedResourceStatuses"] = json::object{{"storage", step}};
  status["allocatedResources"] =
      json::object{{"storage", *wire::find(*claim, "spec.resources.requests.storage")}};
  if (*wire::find_object(*claim, "status") == status) return;
  hub_->write(hub_->claims, claim, "status", "csi-resizer",
              [&](json::object& object) { object["status"] = std::move(status); });
}

void VolumeGrowth::finish(const Object& claim, const json::value& storage) {
  hub_->write(hub_->claims, claim, "status", "kubelet", [&](json::object& object) {
    json::object& status = ensure_object(object, "status");
    drop_conditions(status);
    status.erase("allocatedResourceStatuses");
    ensure_object(status, "capacity")["storage"] = storage;
  });
}

}  // namespace davit::sim
