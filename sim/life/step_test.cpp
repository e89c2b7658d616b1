#include "sim/life/step.hpp"

#include <gtest/gtest.h>

#include "sim/life/generator.hpp"

namespace davit::sim {
namespace {

TEST(Schedule, ComesBackFromYamlAsItWas) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Schedule schedule = generate(seed);
    const Result<Schedule> again = schedule_from_yaml(to_yaml(schedule));
    ASSERT_TRUE(again) << again.error().describe();
    EXPECT_EQ(again->seed, schedule.seed);
    EXPECT_EQ(again->replicas, schedule.replicas);
    EXPECT_EQ(again->length, schedule.length);
    EXPECT_EQ(again->steps, schedule.steps) << to_yaml(schedule);
  }
}

std::string refusal(std::string_view text) {
  const Result<Schedule> read = schedule_from_yaml(text);
  return read ? "(read)" : read.error().message();
}

TEST(Schedule, SaysWhatIsWrong) {
  EXPECT_EQ(refusal("{length: 1m, stops: []}"),
            "a schedule has no member \"stops\" (did you mean \"steps\"?)");
  EXPECT_EQ(refusal("{seed: 1}"), "\"length\" must be a duration such as 40s, not absent");
  EXPECT_EQ(refusal("{length: 1m, steps: [{at: soon, do: crash}]}"),
            "\"at\" must be a duration such as 40s, not \"soon\"");
  EXPECT_EQ(refusal("{length: 1m, steps: [{at: 2s, do: crash}, {at: 1s, do: crash}]}"),
            "the steps of a schedule must be in the order of their times");
  EXPECT_EQ(refusal("{length: 1m, replicas: 99}"), "\"replicas\" must be from 1 to 8");
}

TEST(Generator, GivesLivesOfTenToTwentyMinutesWithFaultsAndCrashes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Schedule schedule = generate(seed);
    EXPECT_GE(schedule.length, std::chrono::minutes(10));
    EXPECT_LE(schedule.length, std::chrono::minutes(20));
    std::size_t faults = 0;
    std::size_t crashes = 0;
    for (const Step& step : schedule.steps) {
      crashes += step.act == "crash" ? 1 : 0;
      for (const Act& act : acts()) {
        if (act.name == step.act && act.group != "user" && step.act != "publish") ++faults;
      }
      EXPECT_LE(step.at, schedule.length);
    }
    EXPECT_GE(crashes, 1U) << seed;
    EXPECT_GE(faults - crashes, 3U) << seed;
    EXPECT_NE(std::ranges::find(schedule.steps, "create", &Step::act), schedule.steps.end())
        << seed;
  }
}

}  // namespace
}  // namespace davit::sim
