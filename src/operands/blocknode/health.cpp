#include "operands/blocknode/health.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "operands/blocknode/build.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/serving.hpp"

namespace davit::blocknode {

namespace {

constexpr int kNearlyFull = 95;  // percent
constexpr int kRoomAgain = 92;   // below: no longer nearly full

const AgentReport* report_of(const Snapshot& snapshot) {
  const auto& round = snapshot.observation.last;
  return round && round->agent ? &*round->agent : nullptr;
}

std::optional<Verdict> judge_growth(const Snapshot& snapshot) {
  for (const Failure& failure : snapshot.failures) {
    if (failure.action.starts_with("grow to ")) {
      return no(reason::kGrowRefused,
                fmt::format("{}: {}", failure.action, failure.error.message()));
    }
  }
  for (const Claim& claim : snapshot.claims) {
    if (!claim.growing) continue;
    if (!claim.note.empty()) {
      return no(reason::kGrowRefused,
                fmt::format("claim {} stays at {}: {}", claim.name, claim.capacity, claim.note));
    }
    return yes(reason::kGrowing, fmt::format("claim {} grows from {} to {}", claim.name,
                                             claim.capacity, claim.requested));
  }
  return std::nullopt;
}

std::optional<Verdict> judge_use(const Snapshot& snapshot, const AgentReport& report) {
  const Condition* before = stored(snapshot.node, "StorageHealthy");
  const bool was_nearly_full =
      before != nullptr && before->reason == reason::kVolumeNearlyFull.name;
  for (const VolumeReport& volume : report.volumes) {
    if (volume.used_percent() >= (was_nearly_full ? kRoomAgain : kNearlyFull)) {
      return no(
          reason::kVolumeNearlyFull,
          fmt::format("the {} volume is nearly full. Grow its size in spec.storage", volume.role));
    }
  }
  return std::nullopt;
}

bool ever_had_blocks(const Snapshot& snapshot) {
  return snapshot.node.status.last_block ||
         (snapshot.observation.heights && snapshot.observation.heights->last);
}

}  // namespace

const Condition* stored(const BlockNode& node, std::string_view type) {
  const auto found = std::ranges::find(node.status.conditions, type, &Condition::type);
  return found == node.status.conditions.end() ? nullptr : &*found;
}

std::optional<Verdict> judge_storage(const Snapshot& snapshot) {
  if (!snapshot.sees(kube::kPersistentVolumeClaims)) return std::nullopt;
  if (auto verdict = judge_claims(snapshot)) return verdict;
  for (const Claim& claim : snapshot.claims) {
    if (claim.state == ClaimState::kPending || claim.state == ClaimState::kAbsent) {
      const auto live = snapshot.live_claims.find(claim.name);
      const bool fresh = live == snapshot.live_claims.end() ? snapshot.failures.empty()
                                                            : snapshot.is_new(*live->second);
      if (fresh) {
        return unknown(reason::kCreating, "the node's claims are being made and bound");
      }
      const auto note = snapshot.claim_notes.find(claim.name);
      return no(reason::kClaimPending,
                fmt::format("claim {} ({}) is not bound{}{}", claim.name,
                            claim.storage_class.empty() ? "no storage class"
                                                        : "class " + claim.storage_class,
                            note == snapshot.claim_notes.end() ? "" : ": ",
                            note == snapshot.claim_notes.end() ? "" : note->second));
    }
  }
  const AgentReport* report = report_of(snapshot);
  if (report != nullptr) {
    if (auto verdict = judge_writes(*report)) return verdict;
  }
  if (auto verdict = judge_growth(snapshot)) return verdict;
  if (report == nullptr) {
    const bool pod_runs = snapshot.pod != nullptr && look_at_pod(*snapshot.pod).server.running;
    if (pod_runs && !snapshot.observation.last) return std::nullopt;
    return unknown(reason::kNoReport, "the agent has not reported on the volumes");
  }
  if (auto verdict = judge_use(snapshot, *report)) return verdict;
  return yes(reason::kHealthy, "every claim is bound and every volume takes a write");
}

std::optional<Verdict> judge_ingest(const Snapshot& snapshot, const std::optional<Verdict>& serving,
                                    const Settings& settings) {
  if (snapshot.node.spec.tier != 1) {
    return unknown(reason::kNotATierOneNode, "ingest is judged for tier 1 nodes only");
  }
  if (!serving) return std::nullopt;
  Verdict awaiting = unknown(reason::kAwaitingFirstPublisher,
                             "no block has arrived yet. Point a consensus node "
                             "at status.endpoint");
  const bool had_blocks = ever_had_blocks(snapshot);
  if (!serving->is_true()) {
    if (!had_blocks) return awaiting;
    return Verdict{serving->status, &reason::kNotServing,
                   fmt::format("the node does not serve: {}", serving->reason->name)};
  }
  const Observation& seen = snapshot.observation;
  const auto lasts = [&](const std::optional<Monotonic>& since, Duration time) {
    return since && snapshot.now - *since >= time;
  };
  const bool grew = seen.grew_at && !lasts(seen.grew_at, settings.stand_still);
  if (grew) return yes(reason::kIngesting, "blocks arrive, are verified and stored");
  if (seen.publishers_since) {
    if (lasts(seen.publishers_since, settings.stand_still)) {
      return no(reason::kStandsStill,
                "a publisher is connected, but no block is added. Read the server's log for "
                "verification and persistence errors. The node is not restarted for this");
    }
  } else if (!had_blocks) {
    return awaiting;
  } else if (lasts(seen.publishers_gone_since, settings.publishers_lost)) {
    return no(reason::kPublishersLost,
              "no publisher has been connected for 5 minutes. Check the consensus nodes and the "
              "way from them");
  }
  const Condition* before = stored(snapshot.node, "Ingesting");
  // The word of before holds until there is evidence against it; but a word about not serving is
  // over.
  const bool over = before == nullptr || before->reason == reason::kNotServing.name ||
                    (had_blocks && before->reason == reason::kAwaitingFirstPublisher.name);
  if (!over) return std::nullopt;
  return unknown(reason::kObserving, "the node serves; whether blocks arrive is being watched");
}

Verdict judge_protection(const Snapshot& snapshot) {
  if (snapshot.node.spec.policies.deletion == "Delete") {
    return no(reason::kDeletedWithNode,
              "policies.deletion is Delete: deleting the BlockNode deletes its blocks");
  }
  bool unread = false;
  for (const Claim& claim : snapshot.claims) {
    if (!claim.made_by_davit || !claim.layout->data) continue;
    if (claim.state != ClaimState::kBound) {
      unread = true;
      continue;
    }
    if (const auto error = snapshot.reclaim_errors.find(claim.volume);
        error != snapshot.reclaim_errors.end()) {
      return no(reason::kUnprotected,
                fmt::format("volume {} of claim {} may be deleted with its claim: {}", claim.volume,
                            claim.name, error->second.message()));
    }
    const auto policy = snapshot.reclaim_policies.find(claim.volume);
    if (policy == snapshot.reclaim_policies.end()) {
      unread = true;
    } else if (policy->second != "Retain") {
      return no(reason::kUnprotected, fmt::format("volume {} of claim {} has reclaim policy {}",
                                                  claim.volume, claim.name, policy->second));
    }
  }
  if (unread) return unknown(reason::kNotBound, "not all claims are bound yet");
  return yes(reason::kRetained, "the volumes outlive the BlockNode, its namespace and Davit");
}

std::optional<Verdict> judge_configuration(const Snapshot& snapshot, const Plan& plan) {
  if (snapshot.node.deleting) return std::nullopt;
  if (!plan.problems.empty()) {
    return no(reason::kConfigurationInvalid,
              fmt::format("{}. {}", list_problems(plan.problems),
                          snapshot.statefulset == nullptr ? "Nothing was created"
                                                          : "The running node was not changed"));
  }
  if (!plan.form_known) {
    return no(reason::kFormUnknown, fmt::format("the pod has form {}, which this Davit does not "
                                                "know; it is left alone",
                                                plan.form));
  }
  if (auto verdict = judge_failures(snapshot)) return verdict;
  if (!snapshot.sees(kube::kPods)) return std::nullopt;
  if (snapshot.pod == nullptr) return no(reason::kCreating, "the pod is not there yet");
  const PodFacts pod = look_at_pod(*snapshot.pod);
  if (pod.template_digest == plan.wanted_template) {
    return yes(reason::kApplied, "the pod has the configuration of the spec");
  }
  if (plan.slot_holders.empty()) {
    return no(reason::kRestartPending, "the pod is restarted to take up a change");
  }
  return no(reason::kRestartPending,
            fmt::format("a change waits for a restart; the slot of the disruption group is taken "
                        "by {}, not ready",
                        fmt::join(plan.slot_holders, ", ")));
}

Verdict judge_version(const Snapshot& snapshot, const Plan& plan) {
  if (!plan.form_known) {
    return no(reason::kFormUnknown,
              fmt::format("the pod was made by a newer Davit (form {})", plan.form));
  }
  // 0.39 moved health to its own port; ports, paths and settings are known up to 0.42.
  const std::string& version = snapshot.node.spec.version;
  int minor = -1;
  if (version.starts_with("0.")) {
    std::from_chars(version.data() + 2, version.data() + version.size(), minor);
  }
  if (minor >= 39 && minor <= 42) {
    return yes(reason::kSupported, fmt::format("version {} is known", version));
  }
  return no(reason::kVersionUnknown,
            fmt::format("version {} is not known (known: 0.39 to 0.42); it is treated as the "
                        "nearest one",
                        version));
}

}  // namespace davit::blocknode
