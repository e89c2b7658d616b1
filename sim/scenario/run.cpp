#include <fmt/format.h>

#include "sim/scenario/expect.hpp"
#include "sim/scenario/scenario.hpp"
#include "wire/duration.hpp"

namespace davit::sim {

namespace {

class Run {
 public:
  Run(const Scenario& scenario, const Crash& crash)
      : scenario_(&scenario), crash_(crash), world_(scenario.world), bench_(world_) {
    for (unsigned replica = 0; replica < scenario.world.replicas; ++replica) world_.start(replica);
    if (crash.after_write > 0) world_.crash_after_write(0, crash.after_write, Duration{0});
    if (crash.at_turn > 0) world_.crash_at_turn(crash.at_turn);
  }

  ScenarioOutcome go() {
    const Monotonic begin = world_.loop.now();
    marked_ = mark(world_);
    for (const Item& item : scenario_->items) {
      world_.advance(begin + item.at - world_.loop.now());
      at_ = item.at;
      if (const auto* step = std::get_if<Step>(&item.what)) act(*step);
      if (std::holds_alternative<Mark>(item.what)) marked_ = mark(world_);
      if (const auto* expected = std::get_if<Expectation>(&item.what)) expect(*expected);
    }
    outcome_.writes = world_.davit_writes();
    outcome_.turns = world_.turns();
    world_.calm();
    bench_.end();
    if (crashes() && last_) miss(misses(world_, last_->what, marked_, true));
    outcome_.violations = bench_.violations();
    for (const std::string& text : world_.exceptions()) miss({"an exception: " + text});
    return std::move(outcome_);
  }

 private:
  [[nodiscard]] bool crashes() const { return crash_.after_write > 0 || crash_.at_turn > 0; }

  void act(const Step& step) {
    const Status done = perform(world_, step);
    // What the server refused is part of the story; what cannot be read is a fault of the file.
    if (!done && done.error().code() == Code::kInvalid) miss({done.error().message()});
  }
  void expect(const Expectation& expected) {
    last_ = &expected;
    if (!crashes()) miss(misses(world_, expected.what, marked_, false));
  }
  void miss(std::vector<std::string> sentences) {
    for (const std::string& sentence : sentences) {
      outcome_.misses.push_back(fmt::format("{}: {}", wire::format_duration(at_), sentence));
    }
  }

  const Scenario* scenario_;
  Crash crash_;
  World world_;
  Bench bench_;
  Marked marked_;
  const Expectation* last_ = nullptr;
  Duration at_{0};
  ScenarioOutcome outcome_;
};

}  // namespace

ScenarioOutcome run(const Scenario& scenario, const Crash& crash) {
  return Run(scenario, crash).go();
}

std::string ScenarioOutcome::describe() const {
  std::string text;
  for (const std::string& miss : misses) text += miss + "\n";
  for (const Violation& violation : violations) {
    text += fmt::format("{}: {}: {}\n", wire::format_duration(violation.at - Monotonic{}),
                        violation.judge, violation.sentence);
  }
  return text;
}

}  // namespace davit::sim
