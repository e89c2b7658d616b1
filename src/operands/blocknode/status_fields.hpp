// The fields of status beside the conditions, and the rule for when a new status is worth a write.
// Pure; any thread.
#pragma once

#include <optional>

#include "operands/blocknode/plan.hpp"
#include "operands/blocknode/verdict.hpp"

namespace davit::blocknode {

void fill_fields(const Snapshot& snapshot, const Plan& plan, const std::optional<Verdict>& ready,
                 BlockNodeStatus& status);

// False: nothing differs, or only heights and use do and the last write is younger than the
// interval.
[[nodiscard]] bool worth_writing(const Snapshot& snapshot, const BlockNodeStatus& status,
                                 const Settings& settings);

}  // namespace davit::blocknode
