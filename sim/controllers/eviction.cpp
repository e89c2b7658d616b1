#include "sim/controllers/eviction.hpp"

#include <fmt/format.h>

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

constexpr std::size_t kMostDisruptedPods = 2'000;

ApiError too_many_requests(std::string cause, int retry_after) {
  ApiError error;
  error.code = 429;
  error.reason = "TooManyRequests";
  error.message = "Cannot evict pod as it would violate the pod's disruption budget.";
  error.retry_after_seconds = retry_after;
  error.causes = {{"DisruptionBudget", std::move(cause), ""}};
  return error;
}

ApiError still_processed(const std::string& budget) {
  return too_many_requests(
      fmt::format("The disruption budget {} is still being processed by the server.", budget), 10);
}

std::int64_t number(const json::object& object, std::string_view path) {
  return wire::find_int(object, path).value_or(0);
}

std::vector<Object> budgets_of(const Operations& operations, const json::object& pod) {
  std::vector<Object> budgets;
  const std::string ns = kube::key_of(pod).ns;
  const auto& all =
      operations.store().all(*operations.registry().find(kube::kPodDisruptionBudgets));
  for (auto budget = all.lower_bound({ns, ""}); budget != all.end() && budget->first.ns == ns;
       ++budget) {
    const json::object* selector = wire::find_object(*budget->second, "spec.selector");
    if (selector && label_selector_matches(*selector, pod)) budgets.push_back(budget->second);
  }
  return budgets;
}

std::string why_not(const json::object& budget) {
  const std::string name = kube::key_of(budget).name;
  const std::int64_t healthy = number(budget, "status.currentHealthy");
  const std::int64_t wanted = number(budget, "status.desiredHealthy");
  if (healthy <= wanted) {
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", name,
                       wanted, healthy);
  }
  return fmt::format("The disruption budget {} does not allow evicting pods currently", name);
}

// Takes one disruption from the budget.
std::optional<ApiError> charge(Operations& operations, const json::object& budget,
                               const std::string& pod, bool dry_run) {
  const ObjectKey key = kube::key_of(budget);
  const ResourceType& type = *operations.registry().find(kube::kPodDisruptionBudgets);
  if (number(budget, "status.observedGeneration") < kube::generation_of(budget)) {
    return still_processed(key.name);
  }
  const std::int64_t allowed = number(budget, "status.disruptionsAllowed");
  if (allowed < 0) {
    return forbidden(type, key.name, "pdb disruptions allowed is negative").error();
  }
  const json::object* granted = wire::find_object(budget, "status.disruptedPods");
  if (granted && granted->size() > kMostDisruptedPods) {
    return forbidden(type, key.name,
                     "DisruptedPods map too big - too many evictions not confirmed by PDB "
                     "controller")
        .error();
  }
  if (allowed == 0) return too_many_requests(why_not(budget), 0);
  if (dry_run) return std::nullopt;
  const std::string now = format_time(operations.clock().wall());
  operations.edit(type, key, "status", [&](json::object& object) {
    json::object& status = wire::ensure_object(object, "status");
    status["disruptionsAllowed"] = allowed - 1;
    wire::ensure_object(status, "disruptedPods")[pod] = now;
    json::value* conditions = status.if_contains("conditions");
    if (allowed > 1 || !conditions || !conditions->is_array()) return;
    for (json::value& condition : conditions->as_array()) {
      condition.as_object()["status"] = "False";
      condition.as_object()["reason"] = "InsufficientPods";
      condition.as_object()["lastTransitionTime"] = now;
    }
  });
  return std::nullopt;
}

Answer<Object> mark_and_delete(Operations& operations, const Object& pod, DeleteOptions options) {
  const ResourceType& type = *operations.registry().find(kube::kPods);
  const ObjectKey key = kube::key_of(*pod);
  DeleteOptions try_it = options;
  try_it.dry_run = true;
  if (auto refused = operations.remove(type, key, try_it); !refused || options.dry_run) {
    return refused;
  }
  operations.edit(type, key, "status", [&](json::object& object) {
    json::value& conditions = wire::ensure_object(object, "status")["conditions"];
    if (!conditions.is_array()) conditions.emplace_array();
    set_condition(conditions.as_array(), "DisruptionTarget", "True", "EvictionByEvictionAPI",
                  "Eviction API: evicting", format_time(operations.clock().wall()));
  });
  // The version that was asked for is the one before this mark.
  options.version.clear();
  options.uid = kube::uid_of(*pod).value;
  return operations.remove(type, key, options);
}

}  // namespace

Answer<Object> evict(Operations& operations, const ObjectKey& key, const DeleteOptions& options) {
  const ResourceType& pods = *operations.registry().find(kube::kPods);
  const Object pod = operations.store().get(pods, key);
  if (!pod) return not_found(pods, key.name);
  const bool pending = wire::find_string(*pod, "status.phase") == "Pending";
  if (is_finished(*pod) || pending || kube::is_deleting(*pod)) {
    return mark_and_delete(operations, pod, options);
  }
  const std::vector<Object> budgets = budgets_of(operations, *pod);
  if (budgets.size() > 1) {
    return not_served(500, "",
                      "This pod has more than one PodDisruptionBudget, which the eviction "
                      "subresource does not support.");
  }
  if (budgets.empty()) return mark_and_delete(operations, pod, options);
  const json::object& budget = *budgets.front();
  if (!is_ready(*pod)) {
    const bool always =
        wire::find_string(budget, "spec.unhealthyPodEvictionPolicy") == "AlwaysAllow";
    const std::int64_t wanted = number(budget, "status.desiredHealthy");
    const bool enough = wanted > 0 && number(budget, "status.currentHealthy") >= wanted;
    if (always || enough) return mark_and_delete(operations, pod, options);
  }
  if (auto refused = charge(operations, budget, key.name, options.dry_run)) {
    return Refusal(std::move(*refused));
  }
  return mark_and_delete(operations, pod, options);
}

}  // namespace davit::sim
