#include "sim/controllers/deployment.hpp"

#include <fmt/format.h>

#include <charconv>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/workload.hpp"
#include "wire/time.hpp"

namespace davit::sim {

namespace {

using wire::ensure_object;

constexpr const char* kManager = "kube-controller-manager";
constexpr const char* kRevision = "deployment.kubernetes.io/revision";

std::int64_t number(const json::object& object, std::string_view path, std::int64_t fallback = 0) {
  return wire::find_int(object, path).value_or(fallback);
}

std::int64_t revision_of(const json::object& set) {
  std::int64_t revision = 0;
  const std::string_view text = text_of(set, "annotations", kRevision);
  std::from_chars(text.data(), text.data() + text.size(), revision);
  return revision;
}

}  // namespace

// What one sync sees: the deployment, its newest set (null: to be made) and the older ones.
struct DeploymentController::Rollout {
  Object deployment;
  Object newest;
  std::vector<Object> older;
  std::int64_t replicas = 0, surge = 0, unavailable = 0;

  [[nodiscard]] std::int64_t total(std::string_view path) const {
    std::int64_t sum = newest ? number(*newest, path) : 0;
    for (const Object& set : older) sum += number(*set, path);
    return sum;
  }
};

void DeploymentController::on_event(const StoredEvent& event) {
  if (event.type == &hub_->deployments) {
    if (event.after) queue_.add(event.key);
    return;
  }
  if (event.type == &hub_->replica_sets) {
    const ObjectKey owner =
        controller_key(event.after ? *event.after : *event.before, "Deployment");
    if (!owner.name.empty()) queue_.add(owner);
    return;
  }
  // Recreate waits for the last old pod.
  if (event.type != &hub_->pods || event.after) return;
  const ObjectKey set = controller_key(*event.before, "ReplicaSet");
  const Object owner = set.name.empty() ? nullptr : hub_->store.get(hub_->replica_sets, set);
  if (!owner) return;
  const ObjectKey deployment = controller_key(*owner, "Deployment");
  if (!deployment.name.empty()) queue_.add(deployment);
}

void DeploymentController::sync(const ObjectKey& key) {
  Rollout rollout;
  rollout.deployment = hub_->store.get(hub_->deployments, key);
  if (!rollout.deployment) return;
  const json::object& deployment = *rollout.deployment;
  const json::value* pod_template = wire::find(deployment, "spec.template");
  if (!pod_template) return;
  rollout.replicas = number(deployment, "spec.replicas", 1);
  const std::string hash = revision_hash(*pod_template);
  const ObjectStore::Objects& sets = hub_->store.all(hub_->replica_sets);
  std::int64_t last_revision = 0;
  for (auto set = sets.lower_bound({key.ns, ""}); set != sets.end() && set->first.ns == key.ns;
       ++set) {
    if (kube::controller_of(*set->second) != kube::uid_of(deployment)) continue;
    last_revision = std::max(last_revision, revision_of(*set->second));
    if (text_of(*set->second, "labels", "pod-template-hash") == hash) {
      rollout.newest = set->second;
    } else {
      rollout.older.push_back(set->second);
    }
  }
  const bool paused = wire::find_bool(deployment, "spec.paused", false);
  if (!kube::is_deleting(deployment) && !paused) {
    const bool rolls = wire::find_string(deployment, "spec.strategy.type") != "Recreate";
    if (rolls) {
      rollout.surge = scaled(wire::find(deployment, "spec.strategy.rollingUpdate.maxSurge"),
                             rollout.replicas, true, (rollout.replicas + 3) / 4);
      rollout.unavailable =
          scaled(wire::find(deployment, "spec.strategy.rollingUpdate.maxUnavailable"),
                 rollout.replicas, false, rollout.replicas / 4);
      if (rollout.surge == 0 && rollout.unavailable == 0) rollout.unavailable = 1;
    }
    if (!rollout.newest) {
      json::object set{{"metadata", json::object{{"name", key.name + "-" + hash}}}};
      json::object& metadata = ensure_object(set, "metadata");
      metadata["ownerReferences"] = json::array{controller_reference(deployment)};
      metadata["annotations"] = json::object{{kRevision, std::to_string(last_revision + 1)}};
      json::object& spec = ensure_object(set, "spec");
      spec["template"] = *pod_template;
      spec["selector"] = *wire::find(deployment, "spec.selector");
      ensure_object(spec, "selector.matchLabels")["pod-template-hash"] = hash;
      ensure_object(spec, "template.metadata.labels")["pod-template-hash"] = hash;
      metadata["labels"] = *wire::find(spec, "template.metadata.labels");
      if (const json::value* seconds = wire::find(deployment, "spec.minReadySeconds")) {
        spec["minReadySeconds"] = *seconds;
      }
      spec["replicas"] = 0;
      rollout.newest = hub_->create(hub_->replica_sets, key.ns, std::move(set), kManager);
      if (!rollout.newest) {
        queue_.add_at(key, now() + std::chrono::seconds(5), Wait::kPeriodic);
        return;
      }
    } else if (revision_of(*rollout.newest) < last_revision) {
      rollout.newest = hub_->write(  // rolled back to
          hub_->replica_sets, rollout.newest, "", kManager, [&](json::object& set) {
            ensure_object(ensure_object(set, "metadata"), "annotations")[kRevision] =
                std::to_string(last_revision + 1);
          });
      if (!rollout.newest) return;
    }
    follow(rollout);
  }
  report(rollout);
}

void DeploymentController::follow(const Rollout& rollout) {
  const auto resize = [&](const Object& set, std::int64_t replicas) {
    if (number(*set, "spec.replicas", 1) == replicas) return;
    hub_->write(hub_->replica_sets, set, "", kManager, [&](json::object& object) {
      ensure_object(object, "spec")["replicas"] = replicas;
    });
  };
  const json::object& deployment = *rollout.deployment;
  const std::int64_t now_new = number(*rollout.newest, "spec.replicas", 1);
  if (wire::find_string(deployment, "spec.strategy.type") == "Recreate") {
    bool gone = true;
    for (const Object& set : rollout.older) {
      resize(set, 0);
      gone = gone && hub_->pod_index.of_controller(kube::uid_of(*set)).empty();
    }
    if (gone) resize(rollout.newest, rollout.replicas);
    return;
  }
  const std::int64_t all = rollout.total("spec.replicas");
  if (now_new > rollout.replicas) {
    resize(rollout.newest, rollout.replicas);
  } else if (now_new < rollout.replicas) {
    const std::int64_t room = rollout.replicas + rollout.surge - all;
    if (room > 0) resize(rollout.newest, std::min(rollout.replicas, now_new + room));
  }
  // The old ones go as far as enough stay available.
  std::int64_t may_go = all - (rollout.replicas - rollout.unavailable) -
                        (now_new - number(*rollout.newest, "status.availableReplicas"));
  for (const Object& set : rollout.older) {
    const std::int64_t has = number(*set, "spec.replicas");
    const std::int64_t less = std::min(has, std::max<std::int64_t>(0, may_go));
    if (less <= 0) continue;
    resize(set, has - less);
    may_go -= less;
  }
  if (number(*rollout.newest, "status.availableReplicas") < rollout.replicas) return;
  const std::int64_t limit = number(deployment, "spec.revisionHistoryLimit", 10);
  std::vector<Object> idle;
  for (const Object& set : rollout.older) {
    if (number(*set, "status.replicas") == 0 && number(*set, "spec.replicas") == 0) {
      idle.push_back(set);
    }
  }
  std::ranges::sort(idle, {}, [](const Object& set) { return revision_of(*set); });
  for (std::size_t i = 0; i + static_cast<std::size_t>(limit) < idle.size(); ++i) {
    (void)hub_->remove(hub_->replica_sets, *idle[i]);
  }
}

void DeploymentController::report(const Rollout& rollout) {
  const json::object& deployment = *rollout.deployment;
  const std::string name = rollout.newest ? kube::key_of(*rollout.newest).name : std::string();
  const std::int64_t updated = rollout.newest ? number(*rollout.newest, "status.replicas") : 0;
  const std::int64_t all = rollout.total("status.replicas");
  const std::int64_t available = rollout.total("status.availableReplicas");
  json::object status;
  if (const json::object* old = wire::find_object(deployment, "status")) status = *old;
  const std::int64_t before_updated = number(status, "updatedReplicas");
  const std::int64_t before_available = number(status, "availableReplicas");
  json::array conditions;
  if (const json::array* old = wire::find_array(status, "conditions")) conditions = *old;
  const std::string now_text = hub_->now_text();
  const bool enough = available >= rollout.replicas - rollout.unavailable;
  set_condition(conditions, "Available", enough ? "True" : "False",
                enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                enough ? "Deployment has minimum availability."
                       : "Deployment does not have minimum availability.",
                now_text);
  const bool complete = updated == rollout.replicas && all == rollout.replicas &&
                        available == rollout.replicas && rollout.newest;
  const json::object* progress = condition_of(deployment, "Progressing");
  const bool moved = updated != before_updated || available > before_available || !progress;
  const std::int64_t deadline = number(deployment, "spec.progressDeadlineSeconds", 600);
  const auto since = progress ? wire::parse_time(wire::find_string(*progress, "lastUpdateTime"))
                              : fail(Code::kInvalid, "");
  const WallTime wall = hub_->operations.clock().wall();
  const bool late = since && *since + std::chrono::seconds(deadline) <= wall;
  bool touched = false;
  if (complete) {
    touched = set_condition(conditions, "Progressing", "True", "NewReplicaSetAvailable",
                            fmt::format("ReplicaSet \"{}\" has successfully progressed.", name),
                            now_text);
  } else if (moved ||
             (progress && wire::find_string(*progress, "reason") == "NewReplicaSetAvailable")) {
    set_condition(conditions, "Progressing", "True", "ReplicaSetUpdated",
                  fmt::format("ReplicaSet \"{}\" is progressing.", name), now_text);
    touched = true;
  } else if (late) {
    touched =
        set_condition(conditions, "Progressing", "False", "ProgressDeadlineExceeded",
                      fmt::format("ReplicaSet \"{}\" has timed out progressing.", name), now_text);
  }
  for (json::value& value : conditions) {
    json::object& condition = value.as_object();
    const bool is_progress = wire::find_string(condition, "type") == "Progressing";
    const json::object* old = condition_of(deployment, wire::find_string(condition, "type"));
    const json::value* time = old ? old->if_contains("lastUpdateTime") : nullptr;
    const bool keep = time && (is_progress ? !touched : true);
    condition["lastUpdateTime"] = keep ? *time : json::value(now_text);
  }
  status["conditions"] = std::move(conditions);
  status["observedGeneration"] = kube::generation_of(deployment);
  set_count(status, "replicas", all);
  set_count(status, "updatedReplicas", updated);
  set_count(status, "readyReplicas", rollout.total("status.readyReplicas"));
  set_count(status, "availableReplicas", available);
  set_count(status, "unavailableReplicas",
            std::max<std::int64_t>(0, std::max(all, rollout.replicas) - available));
  write_status(*hub_, hub_->deployments, deployment, std::move(status));
  if (!complete && !late) {
    queue_.add_at(kube::key_of(deployment), now() + std::chrono::seconds(deadline),
                  Wait::kPeriodic);
  }
}

}  // namespace davit::sim
