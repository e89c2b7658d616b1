#include "operands/blocknode/reconcile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/mutant.hpp"
#include "operands/blocknode/look.hpp"

namespace davit::blocknode {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Duration kSoon = milliseconds(250);

// The child that an Apply would write to is on its way out: wait for its end.
bool target_is_ending(const Action& action, Informers& informers) {
  const auto* apply = std::get_if<Apply>(&action);
  if (apply == nullptr) return false;
  const runtime::Informer* informer = informers.of(apply->resource);
  const runtime::Object live = informer->store().get(kube::key_of(apply->object));
  return live != nullptr && kube::is_deleting(*live);
}

// The answer never came, or our view was old: nothing a user must hear of.
bool is_passing(const Error& error) {
  return error.code() == Code::kUnavailable || error.code() == Code::kDeadlineExceeded ||
         error.code() == Code::kUnauthenticated || error.code() == Code::kTooManyRequests ||
         (error.code() == Code::kConflict && error.reason() == to_string(Code::kConflict));
}

bool is_ready(const BlockNodeStatus& status) {
  return std::ranges::any_of(status.conditions, [](const Condition& condition) {
    return condition.type == "Ready" && condition.status == "True";
  });
}

bool ingest_needs_watching(const BlockNodeStatus& status) {
  return std::ranges::any_of(status.conditions, [](const Condition& condition) {
    return condition.type == "Ingesting" && condition.reason == reason::kObserving.name;
  });
}

void forget_unplanned(const Plan& plan, NodeState& state) {
  std::set<std::string> planned;
  for (const Action& action : plan.actions) planned.insert(describe(action));
  std::erase_if(state.backoffs, [&](const auto& entry) { return !planned.contains(entry.first); });
}

}  // namespace

io::Task<Status> BlockNodeController::execute(ObjectKey key, Plan plan,
                                              std::shared_ptr<NodeState> state,
                                              std::vector<Failure>& failures) {
  forget_unplanned(plan, *state);
  bool blocked = false;  // an essential action failed: what builds on it waits
  for (Action& action : plan.actions) {
    const bool essential = is_essential(action);
    if (essential && blocked) continue;
    const runtime::Informer* informer = informers_.of(resource_of(action));
    if (informer != nullptr && !informer->synced() && !mutant(kActUnsynced)) {
      blocked = blocked || essential;
      continue;
    }
    const std::string name = describe(action);
    const auto waiting = state->backoffs.find(name);
    if (waiting != state->backoffs.end() && loop_->now() < waiting->second.next) {
      failures.push_back({name, waiting->second.error});
      blocked = blocked || essential;
      continue;
    }
    if (target_is_ending(action, informers_)) {
      blocked = blocked || essential;
      continue;
    }
    if (const auto* restart = std::get_if<RestartPod>(&action)) {
      events_->record(*informers_.nodes.store().get(key), kube::EventType::kNormal,
                      std::string(reason::kPodRestarted.name), "Restart",
                      fmt::format("deleting pod {}: {}", restart->key.name, restart->why));
    }
    const bool grows =
        std::holds_alternative<PatchClaim>(action) && std::get<PatchClaim>(action).grows;
    const Status done = co_await executor_.run(std::move(action), state);
    if (done) {
      state->backoffs.erase(name);
      const runtime::Object node = informers_.nodes.store().get(key);
      if (grows && node != nullptr) {
        events_->record(*node, kube::EventType::kNormal, std::string(reason::kClaimGrown.name),
                        "Grow", name);
      }
      continue;
    }
    if (is_passing(done.error())) co_return done;
    const auto before = state->backoffs.find(name);
    state->backoffs.insert_or_assign(
        name, back_off(before == state->backoffs.end() ? nullptr : &before->second, done.error(),
                       loop_->now()));
    failures.push_back({name, done.error()});
    blocked = blocked || essential;
  }
  co_return Status{};
}

io::Task<Result<runtime::Outcome>> BlockNodeController::reconcile(ObjectKey key) {
  const runtime::Object object = informers_.nodes.store().get(key);
  if (object == nullptr) co_return runtime::Outcome{};
  if (still_listing() || !caches_are_fresh(key, informers_)) {
    co_return runtime::Outcome{.requeue_after = kSoon};
  }
  auto& slot = states_[kube::uid_of(*object)];
  if (slot == nullptr) slot = std::make_shared<NodeState>();
  const std::shared_ptr<NodeState> state = slot;

  // No suspension from here to the reservation: two nodes of a group cannot both see a free slot.
  Snapshot snapshot = look(*object, informers_, fleet_, *state, *loop_);
  const Plan plan = make_plan(snapshot, options_.settings);
  fleet_.set_waiting(key, plan.restart == Restart::kWaits);
  if (plan.restart == Restart::kNow) {
    fleet_.reserve(key, kube::uid_of(*snapshot.pod), loop_->now());
  }

  const Status executed = co_await execute(key, plan, state, snapshot.failures);
  // The restart may not have been reached: then the slot is not ours.
  if (!executed || !snapshot.failures.empty()) fleet_.release(key);
  if (!executed) co_return fail(executed.error());

  snapshot.reclaim_policies = state->reclaim_policies;
  snapshot.reclaim_errors = state->reclaim_errors;
  StatusUpdate update = make_status(snapshot, plan, state->memory, options_.settings);
  const bool settled = is_ready(update.status) && !ingest_needs_watching(update.status);
  if (update.write && !snapshot.node.deleting) {
    const Status written = co_await executor_.write_status(snapshot.node, update.status);
    if (!written && written.error().code() == Code::kNotFound) co_return runtime::Outcome{};
    if (!written) co_return fail(written.error());
    announce(*object, update.events);
  }
  state->memory = update.memory;

  start_asking(key, snapshot, state, settled);
  start_noting(key, snapshot, state);
  co_return runtime::Outcome{.requeue_after = next_pass(*state, settled)};
}

Duration BlockNodeController::next_pass(const NodeState& state, bool settled) const {
  const Monotonic now = loop_->now();
  // Without a pod to ask, time alone may still change the verdict (Stalled).
  Monotonic next = now + options_.cadence.settled;
  if (!state.asking && state.observation.asked_at) {
    next = std::min(next, next_round(state.observation, options_.cadence, settled));
  }
  for (const auto& [action, backoff] : state.backoffs) next = std::min(next, backoff.next);
  return std::max<Duration>(next - now, kSoon);
}

void BlockNodeController::start_asking(const ObjectKey& key, const Snapshot& snapshot,
                                       const std::shared_ptr<NodeState>& state, bool settled) {
  if (state->asking || snapshot.pod == nullptr || snapshot.node.deleting) return;
  std::optional<Question> question = question_for(*snapshot.pod);
  if (!question) return;
  const Observation& seen = state->observation;
  const Monotonic now = loop_->now();
  const bool new_run = seen.run != question->run;
  if (!new_run && now < next_round(seen, options_.cadence, settled)) return;
  question->detail = new_run || !seen.detail_at || now - *seen.detail_at >= options_.cadence.detail;
  question->blocks =
      snapshot.node.spec.profile != "RFH" &&
      (new_run || !seen.blocks_at || !settled || now - *seen.blocks_at >= options_.cadence.blocks);
  state->asking = true;
  rounds_.spawn(ask_node(key, std::move(*question), state));
}

io::Task<void> BlockNodeController::ask_node(ObjectKey key, Question question,
                                             std::shared_ptr<NodeState> state) {
  Round round =
      co_await ask(*probe_, *loop_, *random_, std::move(question), options_.cadence.answer);
  const bool new_run = state->observation.run != round.run;
  fold(state->observation, std::move(round), loop_->now());
  state->asking = false;
  if (new_run) tell_quarantine(key, state->observation);
  controller_.enqueue(std::move(key));
}

}  // namespace davit::blocknode
