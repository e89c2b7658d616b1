// metav1.Condition: how an object tells its state (API conventions, "Typical status properties").
//
//   set_condition(conditions, {"Ready", ConditionStatus::kFalse, "PodStarting", "…", generation},
//   now);
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "wire/json.hpp"

namespace davit::kube {

enum class ConditionStatus { kTrue, kFalse, kUnknown };

[[nodiscard]] std::string_view to_string(ConditionStatus status);

struct Condition {
  std::string type;  // "Ready"
  ConditionStatus status = ConditionStatus::kUnknown;
  std::string reason;   // one CamelCase word; empty: the type
  std::string message;  // a plain sentence; cut at 32,768 bytes
  std::int64_t observed_generation = 0;
};

// Sets the condition of that type, and only that. lastTransitionTime moves when the status changes
// and else stays. True when anything changed: false means there is nothing to write.
bool set_condition(json::array& conditions, const Condition& condition, WallTime now);

// True when there was one.
bool remove_condition(json::array& conditions, std::string_view type);

// nullptr when absent.
[[nodiscard]] const json::object* find_condition(const json::array& conditions,
                                                 std::string_view type);
// kUnknown when absent or not one of the three words.
[[nodiscard]] ConditionStatus condition_status(const json::array& conditions,
                                               std::string_view type);
// Of an object, in its status.conditions.
[[nodiscard]] ConditionStatus condition_status(const json::object& object, std::string_view type);

}  // namespace davit::kube
