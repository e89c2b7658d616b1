#include "sim/life/shrink.hpp"

#include <gtest/gtest.h>

#include "sim/life/generator.hpp"

namespace davit::sim {
namespace {

bool has(const Schedule& schedule, std::string_view act) {
  return std::ranges::any_of(schedule.steps, [&](const Step& s) { return s.act == act; });
}

TEST(Shrink, LeavesOnlyWhatThePlantedFailureNeeds) {
  Schedule schedule = generate(3);
  schedule.replicas = 2;
  schedule.steps.insert(schedule.steps.begin() + 2, {schedule.steps[1].at, "stop", "", {}});
  const auto fails = [](const Schedule& s) { return has(s, "create") && has(s, "stop"); };
  ASSERT_TRUE(fails(schedule));
  const ShrinkReport report = shrink(schedule, fails);
  ASSERT_EQ(report.schedule.steps.size(), 2U) << to_yaml(report.schedule);
  EXPECT_TRUE(fails(report.schedule));
  EXPECT_EQ(report.schedule.replicas, 1U);
  EXPECT_LT(report.schedule.length, schedule.length);
  EXPECT_TRUE(report.schedule.steps[0].with.empty());
  EXPECT_TRUE(schedule_from_yaml(to_yaml(report.schedule)));
}

TEST(Shrink, KeepsMembersThatMatterAndMakesNumbersSmall) {
  Schedule schedule{.seed = 1, .replicas = 1, .length = std::chrono::minutes(10), .steps = {}};
  schedule.steps.push_back({std::chrono::milliseconds(12'300),
                            "fault",
                            "",
                            {{"kind", "lose-reply"}, {"every", 4}, {"for", "80s"}}});
  const auto fails = [](const Schedule& s) {
    return has(s, "fault") && s.steps[0].with.contains("every") && s.steps[0].with.contains("for");
  };
  const Step step = shrink(schedule, fails).schedule.steps.at(0);
  EXPECT_FALSE(step.with.contains("kind"));
  EXPECT_EQ(step.with.at("every"), 1);
  EXPECT_EQ(step.with.at("for"), "1s");
  EXPECT_EQ(step.at, std::chrono::seconds(12));
}

TEST(Shrink, EndsAtItsLimit) {
  const Schedule schedule = generate(5);
  std::size_t tries = 0;
  const ShrinkReport report =
      shrink(schedule, [&](const Schedule&) { return ++tries % 7 == 0; }, 40);
  EXPECT_EQ(report.tries, 40U);
}

}  // namespace
}  // namespace davit::sim
