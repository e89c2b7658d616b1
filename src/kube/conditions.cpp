#include "kube/conditions.hpp"

#include <algorithm>

#include "kube/text.hpp"

namespace davit::kube {

namespace {

constexpr std::size_t kMaxMessage = 32'768;  // of the validation of metav1.Condition

bool has_type(const json::value& value, std::string_view type) {
  const json::object* condition = value.if_object();
  return condition != nullptr && wire::find_string(*condition, "type") == type;
}

}  // namespace

std::string_view to_string(ConditionStatus status) {
  switch (status) {
    case ConditionStatus::kTrue:
      return "True";
    case ConditionStatus::kFalse:
      return "False";
    case ConditionStatus::kUnknown:
      return "Unknown";
  }
  return "Unknown";
}

bool set_condition(json::array& conditions, const Condition& condition, WallTime now) {
  const std::string_view status = to_string(condition.status);
  json::object wanted;
  wanted["type"] = condition.type;
  wanted["status"] = status;
  if (condition.observed_generation != 0) {
    wanted["observedGeneration"] = condition.observed_generation;
  }
  wanted["lastTransitionTime"] = format_time(now);
  wanted["reason"] = condition.reason.empty() ? condition.type : condition.reason;
  wanted["message"] = fit_text(condition.message, kMaxMessage);

  const auto of_type = [&](const json::value& value) { return has_type(value, condition.type); };
  auto* const at = std::ranges::find_if(conditions, of_type);
  if (at == conditions.end()) {
    conditions.push_back(std::move(wanted));
    return true;
  }
  const json::object& current = at->get_object();
  if (const auto since = wire::find_string(current, "lastTransitionTime");
      !since.empty() && wire::find_string(current, "status") == status) {
    wanted["lastTransitionTime"] = since;
  }
  if (current == wanted) return false;
  *at = std::move(wanted);
  return true;
}

bool remove_condition(json::array& conditions, std::string_view type) {
  auto* const at =
      std::ranges::find_if(conditions, [type](const auto& value) { return has_type(value, type); });
  if (at == conditions.end()) return false;
  conditions.erase(at);
  return true;
}

const json::object* find_condition(const json::array& conditions, std::string_view type) {
  for (const json::value& value : conditions) {
    if (has_type(value, type)) return value.if_object();
  }
  return nullptr;
}

ConditionStatus condition_status(const json::array& conditions, std::string_view type) {
  const json::object* condition = find_condition(conditions, type);
  if (condition == nullptr) return ConditionStatus::kUnknown;
  const std::string_view status = wire::find_string(*condition, "status");
  if (status == "True") return ConditionStatus::kTrue;
  if (status == "False") return ConditionStatus::kFalse;
  return ConditionStatus::kUnknown;
}

ConditionStatus condition_status(const json::object& object, std::string_view type) {
  const json::array* conditions = wire::find_array(object, "status.conditions");
  return conditions == nullptr ? ConditionStatus::kUnknown : condition_status(*conditions, type);
}

}  // namespace davit::kube
