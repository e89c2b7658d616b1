#include "sim/controllers/replica_set.hpp"

#include <tuple>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/workload.hpp"

namespace davit::sim {

namespace {

constexpr std::chrono::seconds kRetry{5};  // after a refusal

// Those that are missed least come first.
auto worth(const Object& pod) {
  return std::tuple(!wire::find_string(*pod, "spec.nodeName").empty(),
                    wire::find_string(*pod, "status.phase") == "Running", is_ready(*pod));
}

}  // namespace

void ReplicaSetController::on_event(const StoredEvent& event) {
  if (event.type == &hub_->replica_sets) {
    if (event.after) queue_.add(event.key);
    return;
  }
  if (event.type != &hub_->pods) return;
  for (const Object& pod : {event.before, event.after}) {
    if (!pod) continue;
    const ObjectKey owner = controller_key(*pod, "ReplicaSet");
    if (!owner.name.empty()) queue_.add(owner);
  }
  if (!event.after || !kube::controller_of(*event.after).empty()) return;
  const ObjectStore::Objects& sets = hub_->store.all(hub_->replica_sets);
  for (auto set = sets.lower_bound({event.key.ns, ""});
       set != sets.end() && set->first.ns == event.key.ns; ++set) {
    queue_.add(set->first);
  }
}

void ReplicaSetController::sync(const ObjectKey& key) {
  const Object set = hub_->store.get(hub_->replica_sets, key);
  if (!set) return;
  const std::int64_t wanted = wire::find_int(*set, "spec.replicas").value_or(1);
  const std::int64_t min_ready = wire::find_int(*set, "spec.minReadySeconds").value_or(0);
  const WallTime wall = hub_->operations.clock().wall();
  std::vector<Object> pods = pods_of(*hub_, *set);
  std::erase_if(pods,
                [](const Object& pod) { return is_finished(*pod) || kube::is_deleting(*pod); });
  const std::int64_t has = static_cast<std::int64_t>(pods.size());
  std::int64_t ready = 0, available = 0;
  for (const Object& pod : pods) {
    const auto at = available_at(*pod, min_ready);
    if (!at) continue;
    ++ready;
    if (*at <= wall) {
      ++available;
    } else {
      queue_.add_at(key, now() + (*at - wall), Wait::kProgress);
    }
  }
  if (!kube::is_deleting(*set)) {
    for (std::int64_t i = has; i < wanted; ++i) {
      json::object pod = pod_from_template(*set);
      wire::ensure_object(pod, "metadata")["generateName"] = key.name + "-";
      if (hub_->create(hub_->pods, key.ns, std::move(pod))) continue;
      queue_.add_at(key, now() + kRetry, Wait::kPeriodic);
      break;
    }
    std::ranges::sort(
        pods, {}, [](const Object& pod) { return std::pair(worth(pod), kube::key_of(*pod).name); });
    for (std::int64_t i = 0; i < has - wanted; ++i) {
      (void)hub_->remove(hub_->pods, *pods[static_cast<std::size_t>(i)]);
    }
  }
  json::object status;
  if (const json::object* old = wire::find_object(*set, "status")) status = *old;
  status["observedGeneration"] = kube::generation_of(*set);
  status["replicas"] = has;
  set_count(status, "fullyLabeledReplicas", has);
  set_count(status, "readyReplicas", ready);
  set_count(status, "availableReplicas", available);
  write_status(*hub_, hub_->replica_sets, *set, std::move(status));
}

}  // namespace davit::sim
