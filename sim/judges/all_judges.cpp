#include "sim/judges/judges.hpp"

namespace davit::sim {

std::vector<std::unique_ptr<Judge>> all_judges() {
  std::vector<std::unique_ptr<Judge>> judges;
  for (const auto make :
       {claims_keep_their_data, nothing_restarts_without_reason, one_slot_per_disruption_group,
        destructive_acts_carry_preconditions, intent_before_act,
        finalizers_only_under_policy_delete, only_own_children_are_touched, foreign_fields_are_left,
        accesses_are_declared, one_leader_writes, never_before_sync, no_op_pass_writes_nothing,
        no_hot_loop, events_are_few, status_is_cheap, quiet_is_silent, status_is_true,
        refusals_explain_themselves, converges}) {
    judges.push_back(make());
  }
  return judges;
}

}  // namespace davit::sim
