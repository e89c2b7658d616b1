// The conditions beside Ready: storage, ingest, protection, configuration, version. Pure judges of
// a Snapshot; any thread. nullopt: not asked yet, the stored condition holds.
#pragma once

#include <optional>

#include "operands/blocknode/plan.hpp"
#include "operands/blocknode/verdict.hpp"

namespace davit::blocknode {

[[nodiscard]] std::optional<Verdict> judge_storage(const Snapshot& snapshot);
// `serving`: the verdict of judge_serving. Tier 1 only, by its publishers and its height.
[[nodiscard]] std::optional<Verdict> judge_ingest(const Snapshot& snapshot,
                                                  const std::optional<Verdict>& serving,
                                                  const Settings& settings);
[[nodiscard]] Verdict judge_protection(const Snapshot& snapshot);
[[nodiscard]] std::optional<Verdict> judge_configuration(const Snapshot& snapshot,
                                                         const Plan& plan);
[[nodiscard]] Verdict judge_version(const Snapshot& snapshot, const Plan& plan);

// status.conditions[type]; nullptr when absent.
[[nodiscard]] const Condition* stored(const BlockNode& node, std::string_view type);

}  // namespace davit::blocknode
