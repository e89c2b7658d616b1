#include "sim/controllers/objects.hpp"

namespace davit::sim {

bool set_condition(json::array& conditions, std::string_view type, std::string_view status,
                   std::string_view reason, std::string_view message, const std::string& now) {
  json::object made{{"type", type}, {"status", status}, {"lastTransitionTime", now}};
  if (!reason.empty()) made["reason"] = reason;
  if (!message.empty()) made["message"] = message;
  for (json::value& entry : conditions) {
    json::object& condition = entry.as_object();
    if (wire::find_string(condition, "type") != type) continue;
    if (wire::find_string(condition, "status") == status) {
      if (const json::value* time = condition.if_contains("lastTransitionTime")) {
        made["lastTransitionTime"] = *time;
      }
      if (wire::find_string(condition, "reason") == reason &&
          wire::find_string(condition, "message") == message) {
        return false;
      }
    }
    condition = std::move(made);
    return true;
  }
  conditions.push_back(std::move(made));
  return true;
}

}  // namespace davit::sim
