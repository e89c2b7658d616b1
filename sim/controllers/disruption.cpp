#include "sim/controllers/disruption.hpp"

#include <algorithm>
#include <charconv>

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

// An integer, or a percentage of `total` rounded up.
std::int64_t amount(const json::value& value, std::int64_t total) {
  if (value.is_number()) return value.to_number<std::int64_t>();
  const json::string& text = value.as_string();
  std::int64_t percent = 0;
  std::from_chars(text.data(), text.data() + text.size(), percent);
  return (total * percent + 99) / 100;
}

}  // namespace

void DisruptionController::run(Operations& operations) {
  const ResourceType& type = *operations.registry().find(kube::kPodDisruptionBudgets);
  for (const Object& budget : objects_of(operations, kube::kPodDisruptionBudgets)) {
    const ObjectKey key = kube::key_of(*budget);
    const json::object* selector = wire::find_object(*budget, "spec.selector");
    std::int64_t expected = 0, healthy = 0;
    for (const Object& pod : objects_of(operations, kube::kPods)) {
      if (kube::key_of(*pod).ns != key.ns || !selector ||
          !label_selector_matches(*selector, *pod)) {
        continue;
      }
      ++expected;
      if (!kube::is_deleting(*pod) && condition_is(*pod, "Ready", "True")) ++healthy;
    }
    std::int64_t wanted = 0;
    if (const json::value* least = wire::find(*budget, "spec.minAvailable")) {
      wanted = amount(*least, expected);
    } else if (const json::value* most = wire::find(*budget, "spec.maxUnavailable")) {
      wanted = std::max<std::int64_t>(0, expected - amount(*most, expected));
    }
    operations.edit(type, key, "status", [&](json::object& object) {
      json::object& status = wire::ensure_object(object, "status");
      status["observedGeneration"] = kube::generation_of(object);
      status["expectedPods"] = expected;
      status["currentHealthy"] = healthy;
      status["desiredHealthy"] = wanted;
      status["disruptionsAllowed"] = std::max<std::int64_t>(0, healthy - wanted);
    });
  }
}

}  // namespace davit::sim
