#include "sim/life/runner.hpp"

#include <algorithm>
#include <functional>

#include "sim/life/trace.hpp"

namespace davit::sim {

namespace {

constexpr std::uint64_t kPrime = 1099511628211ULL;

// What is counted while a life goes on.
class Counter {
 public:
  Counter(World& world, Outcome& outcome) : outcome_(&outcome) {
    world.server.on_request([this](const RequestInfo& request, const io::HttpRequest& sent,
                                   const io::HttpResponse* response) {
      mix(request, sent, response);
      if (!World::is_davit(request.user)) return;
      ++outcome_->requests;
      if (!request.is_write) return;
      ++outcome_->writes;
      if (!at_end_ && request.user == World::user_of(0)) ++outcome_->life_writes;
    });
  }
  void faults_stop() { at_end_ = true; }

 private:
  void mix(std::uint64_t value) { outcome_->digest = (outcome_->digest ^ value) * kPrime; }
  void mix(const RequestInfo& request, const io::HttpRequest& sent,
           const io::HttpResponse* response) {
    const std::hash<std::string> hash;
    mix(static_cast<std::uint64_t>(request.at.since_epoch.count()));
    mix(hash(request.user));
    mix(hash(sent.method + sent.target));
    mix(hash(sent.body));
    mix(response == nullptr ? 0 : response->status);
    if (response != nullptr) mix(hash(response->body));
  }

  Outcome* outcome_;
  bool at_end_ = false;
};

const Act* act_of(const Step& step) {
  const auto found = std::ranges::find(acts(), std::string_view(step.act), &Act::name);
  return found == acts().end() ? nullptr : &*found;
}

bool is_fault(const Step& step) {
  const Act* act = act_of(step);
  return act != nullptr && act->group != "user" && step.act != "publish" && step.act != "start" &&
         step.act != "fault";
}

void live(World& world, const Schedule& schedule, const RunOptions& options, Outcome& outcome) {
  const Monotonic begin = world.loop.now();
  for (unsigned replica = 0; replica < schedule.replicas; ++replica) world.start(replica);
  if (options.crash_at_write > 0) {
    world.crash_after_write(0, options.crash_at_write, std::chrono::seconds(1));
  }
  if (options.crash_at_turn > 0) world.crash_at_turn(options.crash_at_turn);
  for (const Step& step : schedule.steps) {
    if (step.at > schedule.length) break;
    world.advance(std::max(Duration{0}, step.at - (world.loop.now() - begin)));
    if (options.trace != nullptr) options.trace->step(step);
    const Status done = perform(world, step);
    if (!done && options.trace != nullptr) options.trace->refused(done.error());
    if (!done && done.error().code() == Code::kInvalid) {
      outcome.violations.push_back(
          {"ScheduleIsReadable", world.loop.now(), done.error().message()});
      return;
    }
    if (is_fault(step)) ++outcome.faults;
  }
  world.advance(std::max(Duration{0}, schedule.length - (world.loop.now() - begin)));
}

}  // namespace

Outcome run(const Schedule& schedule, const RunOptions& options) {
  Outcome outcome;
  try {
    World world({.seed = schedule.seed, .replicas = schedule.replicas});
    Counter counter(world, outcome);
    Bench bench(world);
    if (options.trace != nullptr) options.trace->attach(world);
    try {
      live(world, schedule, options, outcome);
      outcome.turns = world.turns();
      outcome.faults += world.network.hits();
      counter.faults_stop();
      if (options.trace != nullptr) options.trace->say("faults stop");
      world.calm();
      bench.end();
    } catch (const std::exception& error) {
      outcome.violations.push_back({"NoException", world.loop.now(), error.what()});
    }
    for (const std::string& what : world.exceptions()) {
      outcome.violations.push_back({"NoException", world.loop.now(), "Davit threw: " + what});
    }
    for (const Violation& violation : bench.violations()) outcome.violations.push_back(violation);
    outcome.crashes = world.crashes();
    outcome.starts = world.starts();
    outcome.time = world.loop.now().since_epoch;
    if (options.trace != nullptr) options.trace->detach();
  } catch (const std::exception& error) {
    outcome.violations.push_back({"NoException", {}, error.what()});
  }
  std::ranges::sort(outcome.violations, [](const Violation& a, const Violation& b) {
    return std::tie(a.at, a.judge, a.sentence) < std::tie(b.at, b.judge, b.sentence);
  });
  return outcome;
}

std::string verdict(const Outcome& outcome) {
  return outcome.violations.empty() ? std::string() : outcome.violations.front().judge;
}

}  // namespace davit::sim
