#include "operands/blocknode/status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "operands/blocknode/health.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/serving.hpp"
#include "operands/blocknode/status_fields.hpp"
#include "wire/time.hpp"

namespace davit::blocknode {

namespace {

bool is_interlude(const Reason& reason) {
  const std::array kInterludes{&reason::kStarting, &reason::kRestarting, &reason::kCreating,
                               &reason::kVerifying, &reason::kPodMissing};
  return std::ranges::find(kInterludes, &reason) != kInterludes.end();
}

class Writer {
 public:
  Writer(const Snapshot& snapshot, StatusUpdate& update) : snapshot_(snapshot), update_(update) {}

  // nullopt keeps what is stored.
  void set(std::string_view type, const std::optional<Verdict>& verdict) {
    const Condition* before = stored(snapshot_.node, type);
    if (!verdict) {
      if (before != nullptr) {
        update_.status.conditions.push_back(*before);
      } else {
        set(type, unknown(reason::kObserving, "not asked yet"));
      }
      return;
    }
    Condition condition{.type = std::string(type),
                        .status = std::string(verdict->status),
                        .reason = std::string(verdict->reason->name),
                        .message = verdict->message,
                        .observed_generation = snapshot_.node.generation,
                        .last_transition_time = format_time(snapshot_.wall)};
    const bool same_status = before != nullptr && before->status == condition.status;
    if (same_status) condition.last_transition_time = before->last_transition_time;
    if (!same_status || before->reason != condition.reason) announce(condition, before);
    update_.status.conditions.push_back(std::move(condition));
  }

 private:
  void announce(const Condition& now, const Condition* before) {
    constexpr std::array<std::string_view, 5> kTold{"Ready", "ConfigurationApplied",
                                                    "StorageHealthy", "Ingesting", "DataProtected"};
    if (std::ranges::find(kTold, now.type) == kTold.end()) return;
    if (before == nullptr && now.type != "Ready" && now.status != "False") return;
    if (now.status == "Unknown" && now.type != "Ready") return;
    const auto* reason =
        std::ranges::find_if(kReasons, [&](const Reason* r) { return r->name == now.reason; });
    const bool calm = reason == kReasons.end() || is_interlude(**reason) ||
                      now.reason == reason::kScanning.name || !(*reason)->stalled_after.has_value();
    const bool warns =
        now.reason == reason::kStandsStill.name || now.reason == reason::kPublishersLost.name ||
        now.reason == reason::kUnprotected.name || now.reason == reason::kGrowRefused.name ||
        now.reason == reason::kVolumeNearlyFull.name ||
        now.reason == reason::kProbeUnreachable.name;
    Announcement event{.warning = now.status != "True" && (!calm || warns),
                       .reason = now.reason,
                       .note = fmt::format("{} is {}: {}", now.type, now.status, now.message)};
    const bool told = std::ranges::any_of(
        update_.events, [&](const Announcement& other) { return other.reason == event.reason; });
    if (!told) update_.events.push_back(std::move(event));
  }

  const Snapshot& snapshot_;
  StatusUpdate& update_;
};

// Ready stayed True over a restart of Davit, and the server was not restarted since it became so.
bool ready_before_us(const Snapshot& snapshot, const Memory& memory) {
  if (memory.was_unready || memory.serving_since) return false;
  const Condition* ready = stored(snapshot.node, "Ready");
  if (ready == nullptr || ready->status != "True" || snapshot.pod == nullptr) return false;
  const auto since = wire::parse_time(ready->last_transition_time);
  const auto started = wire::parse_time(look_at_pod(*snapshot.pod).server.running_since);
  return since && started && *started <= *since;
}

std::optional<Verdict> judge_ready(const Snapshot& snapshot, const std::optional<Verdict>& serving,
                                   Memory& memory, const Settings& settings) {
  if (!serving) return std::nullopt;
  if (!serving->is_true()) {
    memory.serving_since.reset();
    memory.was_unready = true;
    return serving;
  }
  if (!memory.serving_since) {
    memory.serving_since = ready_before_us(snapshot, memory)
                               ? snapshot.now + (Duration{0} - settings.hold)
                               : snapshot.now;
  }
  if (snapshot.now - *memory.serving_since >= settings.hold) return serving;
  memory.was_unready = true;
  return no(reason::kVerifying,
            fmt::format("every check passes; it must hold for {} s",
                        std::chrono::duration_cast<std::chrono::seconds>(settings.hold).count()));
}

void remember(const Snapshot& snapshot, const std::optional<Verdict>& ready, Memory& memory) {
  if (!ready) return;
  if (ready->is_true()) {
    memory.reason = nullptr;
    memory.trouble = nullptr;
    return;
  }
  if (memory.reason != ready->reason) {
    memory.reason = ready->reason;
    memory.reason_since = snapshot.now;
  }
  if (!is_interlude(*ready->reason) && memory.trouble != ready->reason) {
    memory.trouble = ready->reason;
    memory.trouble_since = snapshot.now;
  }
}

Verdict judge_stalled(const Snapshot& snapshot, const Plan& plan,
                      const std::optional<Verdict>& ready, const Memory& memory) {
  if (!plan.problems.empty()) {
    return yes(reason::kConfigurationInvalid, list_problems(plan.problems));
  }
  if (!plan.form_known) return yes(reason::kFormUnknown, "the pod was made by a newer Davit");
  if (auto missing = judge_permissions(snapshot)) {
    return yes(reason::kPermissionMissing, missing->message);
  }
  if (ready && !ready->is_true() && ready->reason->stalled_after) {
    const Duration limit = *ready->reason->stalled_after;
    const Condition* before = stored(snapshot.node, "Stalled");
    const bool was =
        before != nullptr && before->status == "True" && before->reason == ready->reason->name;
    const bool long_enough =
        snapshot.now - memory.reason_since >= limit ||
        (memory.trouble == ready->reason && snapshot.now - memory.trouble_since >= limit);
    if (was || long_enough) return yes(*ready->reason, ready->message);
  }
  return no(reason::kSettled, "nothing needs a person");
}

Verdict judge_reconciling(const Plan& plan, const std::optional<Verdict>& ready,
                          const Verdict& stalled) {
  if (!stalled.is_true()) {
    if (plan.restart == Restart::kNow) {
      return yes(reason::kProgressing, "the pod is restarted to take up a change");
    }
    if (ready && ready->status == "False") return yes(reason::kProgressing, ready->message);
  }
  return no(reason::kSettled, "nothing is under way");
}

}  // namespace

StatusUpdate make_status(const Snapshot& snapshot, const Plan& plan, const Memory& memory,
                         const Settings& settings) {
  StatusUpdate update;
  update.memory = memory;
  const auto serving = judge_serving(snapshot, plan);
  const auto ready = judge_ready(snapshot, serving, update.memory, settings);
  remember(snapshot, ready, update.memory);

  Writer writer(snapshot, update);
  writer.set("Ready", ready);
  writer.set("Serving", serving);
  writer.set("Ingesting", judge_ingest(snapshot, serving, settings));
  writer.set("ConfigurationApplied", judge_configuration(snapshot, plan));
  writer.set("StorageHealthy", judge_storage(snapshot));
  writer.set("DataProtected", judge_protection(snapshot));
  writer.set("VersionSupported", judge_version(snapshot, plan));
  if (ready) {
    const Verdict stalled = judge_stalled(snapshot, plan, ready, update.memory);
    writer.set("Reconciling", judge_reconciling(plan, ready, stalled));
    writer.set("Stalled", stalled);
  } else {
    writer.set("Reconciling", std::nullopt);
    writer.set("Stalled", std::nullopt);
  }
  fill_fields(snapshot, plan, ready, update.status);
  update.write = worth_writing(snapshot, update.status, settings);
  return update;
}

}  // namespace davit::blocknode
