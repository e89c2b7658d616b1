// Serving: does the node do its work right now? From the cluster's objects first, then from what
// the node itself said. The first check that fails names the reason.
//
// Pure; any thread. nullopt: the pod runs, but this process has not asked it yet, so the conditions
// stored in status still hold (a restart of Davit changes nothing).
#pragma once

#include <optional>

#include "operands/blocknode/plan.hpp"
#include "operands/blocknode/verdict.hpp"

namespace davit::blocknode {

[[nodiscard]] std::optional<Verdict> judge_serving(const Snapshot& snapshot, const Plan& plan);

// "spec.version: …; spec.storage.live.size: …"
[[nodiscard]] std::string list_problems(const std::vector<Problem>& problems);

// Parts of it, each with its own tests. nullopt: nothing to object to.
[[nodiscard]] std::optional<Verdict> judge_permissions(const Snapshot& snapshot);
// Of the first action that failed, but for those that only storage is about.
[[nodiscard]] bool concerns_storage(const Failure& failure);
[[nodiscard]] std::optional<Verdict> judge_failures(const Snapshot& snapshot);
[[nodiscard]] std::optional<Verdict> judge_claims(const Snapshot& snapshot);
[[nodiscard]] std::optional<Verdict> judge_pod(const Snapshot& snapshot);
[[nodiscard]] std::optional<Verdict> judge_answers(const Snapshot& snapshot);

// "live: full", … of the agent's report; empty: all volumes take a write.
[[nodiscard]] std::optional<Verdict> judge_writes(const AgentReport& report);

}  // namespace davit::blocknode
