#include "operands/blocknode/serving.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "operands/blocknode/names.hpp"

namespace davit::blocknode {

namespace {

// RBAC's refusal; quota and admission answer 403 as well, in other words.
bool is_permission(const Error& error) {
  return error.code() == Code::kForbidden &&
         error.message().find("in API group") != std::string::npos;
}

}  // namespace

std::string list_problems(const std::vector<Problem>& problems) {
  std::vector<std::string> lines;
  for (const Problem& problem : problems) {
    lines.push_back(fmt::format("{}: {}", problem.field, problem.message));
  }
  return fmt::format("{}", fmt::join(lines, "; "));
}

// Told by StorageHealthy and DataProtected.
bool concerns_storage(const Failure& failure) {
  return failure.action.starts_with("grow to ") ||
         failure.action.find(" persistentvolumes/") != std::string::npos;
}

std::optional<Verdict> judge_failures(const Snapshot& snapshot) {
  const auto first = std::ranges::find_if(
      snapshot.failures, [](const Failure& failure) { return !concerns_storage(failure); });
  if (first == snapshot.failures.end()) return std::nullopt;
  const Failure& failure = *first;
  if (is_permission(failure.error)) {
    return no(reason::kPermissionMissing,
              fmt::format("Davit may not {}: {}", failure.action, failure.error.message()));
  }
  // The Applier's word.
  if (failure.error.reason() == "NotOurs") return no(reason::kNameTaken, failure.error.message());
  for (const Reason* reason : {&reason::kFieldContested, &reason::kClaimAmbiguous}) {
    if (failure.error.reason() == reason->name) return no(*reason, failure.error.message());
  }
  return no(reason::kChangeRefused,
            fmt::format("{} failed: {}", failure.action, failure.error.message()));
}

std::optional<Verdict> judge_permissions(const Snapshot& snapshot) {
  std::vector<std::string> missing;
  for (const auto& [plural, sight] : snapshot.sights) {
    if (!sight.error || sight.error->code() != Code::kForbidden) continue;
    missing.push_back(fmt::format("list and watch {}", plural));
  }
  for (const Failure& failure : snapshot.failures) {
    if (is_permission(failure.error) && !concerns_storage(failure)) {
      missing.push_back(failure.action);
    }
  }
  for (const auto& [volume, error] : snapshot.reclaim_errors) {
    if (is_permission(error)) {
      missing.push_back("get and patch persistentvolumes");
      break;
    }
  }
  if (missing.empty()) return std::nullopt;
  return no(reason::kPermissionMissing,
            fmt::format("Davit may not {}. Apply Davit's roles again (deploy/), or grant it.",
                        fmt::join(missing, ", ")));
}

std::optional<Verdict> judge_claims(const Snapshot& snapshot) {
  for (const Claim& claim : snapshot.claims) {
    const std::string_view key = claim.layout->key;
    switch (claim.state) {
      case ClaimState::kMissing:
        return no(reason::kClaimMissing,
                  fmt::format("claim {} (spec.storage.{}.existingClaim) does not exist", claim.name,
                              key));
      case ClaimState::kForeign:
        return no(reason::kClaimForeign,
                  fmt::format("claim {} is in the way: {}. Use spec.storage.{}.existingClaim to "
                              "take it, or remove it",
                              claim.name, claim.note, key));
      case ClaimState::kTerminating:
        return no(reason::kClaimTerminating,
                  fmt::format("claim {} is being deleted; a new one is made when it is gone",
                              claim.name));
      case ClaimState::kLost:
        return no(reason::kClaimLost,
                  fmt::format("the volume of claim {} is gone ({})", claim.name, claim.volume));
      case ClaimState::kAbsent:
      case ClaimState::kPending:
      case ClaimState::kBound:
        break;
    }
  }
  return std::nullopt;
}

std::optional<Verdict> judge_writes(const AgentReport& report) {
  for (const VolumeReport& volume : report.volumes) {
    if (volume.writable) continue;
    if (volume.error.find("No space left") != std::string::npos ||
        volume.error.find("quota") != std::string::npos) {
      return no(reason::kVolumeFull,
                fmt::format("the {} volume is full: nothing can be written to it. Grow its size "
                            "in spec.storage",
                            volume.role));
    }
    return no(reason::kVolumeNotWritable,
              fmt::format("the {} volume does not take a write: {}", volume.role, volume.error));
  }
  return std::nullopt;
}

std::optional<Verdict> judge_serving(const Snapshot& snapshot, const Plan& plan) {
  if (snapshot.node.deleting) return no(reason::kDeleting, "the BlockNode is being deleted");
  if (!snapshot.sees(kube::kPods)) {
    if (auto verdict = judge_permissions(snapshot)) {
      return unknown(reason::kPermissionMissing, verdict->message);
    }
    return std::nullopt;
  }
  if (snapshot.pod == nullptr) {
    if (!plan.problems.empty()) {
      return no(reason::kConfigurationInvalid,
                fmt::format("nothing was created: {}", list_problems(plan.problems)));
    }
    if (auto verdict = judge_claims(snapshot)) return verdict;
    if (auto verdict = judge_failures(snapshot)) return verdict;
    if (auto verdict = judge_permissions(snapshot)) return verdict;
    if (snapshot.statefulset == nullptr) {
      return no(reason::kCreating, "the node's objects are being created");
    }
    if (snapshot.is_new(*snapshot.statefulset)) {
      return no(reason::kCreating, "the StatefulSet is about to make the pod");
    }
    return no(reason::kPodMissing,
              fmt::format("StatefulSet {} has not made pod {} yet. If this lasts, its Events say "
                          "why: kubectl describe statefulset {}",
                          statefulset_name(snapshot.node.key), pod_name(snapshot.node.key),
                          statefulset_name(snapshot.node.key)));
  }
  if (auto verdict = judge_claims(snapshot)) return verdict;
  if (auto verdict = judge_pod(snapshot)) return verdict;
  return judge_answers(snapshot);
}

}  // namespace davit::blocknode
