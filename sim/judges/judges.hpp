// The judges, one rule each; what a rule means and when it is lenient stands at the top of its
// file.
#pragma once

#include "sim/judges/judge.hpp"

namespace davit::sim {

// Data and disruption.
[[nodiscard]] std::unique_ptr<Judge> claims_keep_their_data();
[[nodiscard]] std::unique_ptr<Judge> nothing_restarts_without_reason();
[[nodiscard]] std::unique_ptr<Judge> one_slot_per_disruption_group();
[[nodiscard]] std::unique_ptr<Judge> destructive_acts_carry_preconditions();
[[nodiscard]] std::unique_ptr<Judge> intent_before_act();
[[nodiscard]] std::unique_ptr<Judge> finalizers_only_under_policy_delete();
// Whose objects and fields.
[[nodiscard]] std::unique_ptr<Judge> only_own_children_are_touched();
[[nodiscard]] std::unique_ptr<Judge> foreign_fields_are_left();
[[nodiscard]] std::unique_ptr<Judge> accesses_are_declared();
[[nodiscard]] std::unique_ptr<Judge> one_leader_writes();
// What it acts on, and how often.
[[nodiscard]] std::unique_ptr<Judge> never_before_sync();
[[nodiscard]] std::unique_ptr<Judge> no_op_pass_writes_nothing();
[[nodiscard]] std::unique_ptr<Judge> no_hot_loop();
[[nodiscard]] std::unique_ptr<Judge> events_are_few();
[[nodiscard]] std::unique_ptr<Judge> status_is_cheap();
[[nodiscard]] std::unique_ptr<Judge> quiet_is_silent();
// What it says and where it ends.
[[nodiscard]] std::unique_ptr<Judge> status_is_true();
[[nodiscard]] std::unique_ptr<Judge> refusals_explain_themselves();
[[nodiscard]] std::unique_ptr<Judge> converges();

}  // namespace davit::sim
