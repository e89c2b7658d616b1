#include "sim/controllers/disruption.hpp"

#include "sim/controllers/objects.hpp"
#include "sim/controllers/workload.hpp"
#include "wire/time.hpp"

namespace davit::sim {

namespace {

// An eviction that has not become a deletion by then never will.
constexpr std::chrono::minutes kEvictionTimeout{2};

// Evictions that were granted and whose pods are not on their way yet.
json::object disrupted_pods(const json::object& budget, const std::vector<Object>& pods,
                            WallTime wall, std::optional<Duration>& again) {
  json::object kept;
  const json::object* granted = wire::find_object(budget, "status.disruptedPods");
  if (!granted) return kept;
  for (const Object& pod : pods) {
    const json::value* at = granted->if_contains(kube::key_of(*pod).name);
    if (!at || kube::is_deleting(*pod) || !at->is_string()) continue;
    const auto time = wire::parse_time(at->as_string());
    if (!time || *time + kEvictionTimeout < wall) continue;
    kept[kube::key_of(*pod).name] = *at;
    again = kEvictionTimeout + std::chrono::seconds(1);
  }
  return kept;
}

}  // namespace

void DisruptionController::on_event(const StoredEvent& event) {
  if (event.type == &hub_->budgets) {
    if (event.after) queue_.add(event.key);
    return;
  }
  const bool scale = event.type == &hub_->stateful_sets || event.type == &hub_->replica_sets ||
                     event.type == &hub_->deployments;
  if (event.type != &hub_->pods && !scale) return;
  const ObjectStore::Objects& budgets = hub_->store.all(hub_->budgets);
  for (auto budget = budgets.lower_bound({event.key.ns, ""});
       budget != budgets.end() && budget->first.ns == event.key.ns; ++budget) {
    const json::object* selector = wire::find_object(*budget->second, "spec.selector");
    const auto covers = [&](const Object& pod) {
      return pod && selector && label_selector_matches(*selector, *pod);
    };
    if (scale || covers(event.before) || covers(event.after)) queue_.add(budget->first);
  }
}

// The sum of what the pods' controllers want to have; a pod without one counts for itself.
std::int64_t DisruptionController::expected_pods(const std::vector<Object>& pods) const {
  std::map<Uid, std::int64_t> wanted;
  std::int64_t bare = 0;
  for (const Object& pod : pods) {
    const Uid controller = kube::controller_of(*pod);
    if (controller.empty()) {
      ++bare;
      continue;
    }
    if (wanted.contains(controller)) continue;
    wanted[controller] = 1;
    for (const auto& [kind, type] :
         {std::pair<const char*, const ResourceType*>{"StatefulSet", &hub_->stateful_sets},
          std::pair<const char*, const ResourceType*>{"ReplicaSet", &hub_->replica_sets}}) {
      const ObjectKey key = controller_key(*pod, kind);
      const Object owner = key.name.empty() ? nullptr : hub_->store.get(*type, key);
      if (owner) wanted[controller] = wire::find_int(*owner, "spec.replicas").value_or(1);
    }
  }
  for (const auto& [uid, count] : wanted) bare += count;
  return bare;
}

void DisruptionController::sync(const ObjectKey& key) {
  const Object budget = hub_->store.get(hub_->budgets, key);
  const json::object* selector = budget ? wire::find_object(*budget, "spec.selector") : nullptr;
  if (!budget) return;
  const WallTime wall = hub_->operations.clock().wall();
  std::vector<Object> pods;
  for (const ObjectKey& pod_key : hub_->pod_index.of_namespace(key.ns)) {
    const Object pod = hub_->pod(pod_key);
    if (pod && selector && label_selector_matches(*selector, *pod)) pods.push_back(pod);
  }
  std::optional<Duration> again;
  const json::object granted = disrupted_pods(*budget, pods, wall, again);
  std::int64_t expected = static_cast<std::int64_t>(pods.size()), wanted = 0, healthy = 0;
  const json::value* least = wire::find(*budget, "spec.minAvailable");
  const json::value* most = wire::find(*budget, "spec.maxUnavailable");
  if (least && least->is_number()) {
    wanted = least->to_number<std::int64_t>();
  } else if (least || most) {
    expected = expected_pods(pods);
    wanted = least ? scaled(least, expected, true, 0)
                   : std::max<std::int64_t>(0, expected - scaled(most, expected, true, 0));
  }
  for (const Object& pod : pods) {
    const bool counts = !kube::is_deleting(*pod) && !granted.contains(kube::key_of(*pod).name);
    if (counts && is_ready(*pod)) ++healthy;
  }
  const std::int64_t allowed = expected > 0 ? std::max<std::int64_t>(0, healthy - wanted) : 0;
  json::object status;
  if (const json::object* old = wire::find_object(*budget, "status")) status = *old;
  json::array conditions;
  if (const json::array* old = wire::find_array(status, "conditions")) conditions = *old;
  set_condition(conditions, "DisruptionAllowed", allowed > 0 ? "True" : "False",
                allowed > 0 ? "SufficientPods" : "InsufficientPods", "", hub_->now_text());
  for (json::value& condition : conditions) {
    condition.as_object()["observedGeneration"] = kube::generation_of(*budget);
    condition.as_object()["message"] = "";
  }
  status["conditions"] = std::move(conditions);
  status["observedGeneration"] = kube::generation_of(*budget);
  status["expectedPods"] = expected;
  status["currentHealthy"] = healthy;
  status["desiredHealthy"] = wanted;
  status["disruptionsAllowed"] = allowed;
  status.erase("disruptedPods");
  if (!granted.empty()) status["disruptedPods"] = granted;
  write_status(*hub_, hub_->budgets, *budget, std::move(status));
  if (again) queue_.add_at(key, now() + *again, Wait::kPeriodic);
}

}  // namespace davit::sim
