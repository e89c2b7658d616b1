// Whole lives before the judges: a few fixed seeds, and every schedule that ever found a bug.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "sim/life/campaign.hpp"
#include "sim/life/generator.hpp"
#include "sim/life/trace.hpp"

namespace davit::sim {
namespace {

std::string text_of(const Outcome& outcome) {
  std::string out;
  for (const Violation& v : outcome.violations) out += v.judge + ": " + v.sentence + "\n";
  return out;
}

TEST(Life, TheSameSeedIsTheSameLifeToTheLastByte) {
  const Schedule schedule = generate(11);
  const Outcome first = run(schedule);
  Trace trace;
  const Outcome traced = run(schedule, {.trace = &trace});
  EXPECT_EQ(first.digest, traced.digest) << "also when somebody listens";
  EXPECT_EQ(first.writes, traced.writes);
  EXPECT_NE(first.digest, run(generate(12)).digest);
  EXPECT_NE(trace.story().find("a user created bn1"), std::string::npos);
  EXPECT_NE(trace.lines().find("davit-0 "), std::string::npos);
}

TEST(Life, AJobSaysWhatTheSameLifeSaysHere) {
  std::vector<std::uint64_t> digests(3);
  const auto life_of = [](std::size_t n) { return Life{"", generate(21 + n), {}}; };
  const CampaignResult result = campaign(3, life_of, {.jobs = 2}, [&](const LifeReport& report) {
    digests[report.index] = report.outcome.digest;
  });
  EXPECT_EQ(result.lives, 3U);
  EXPECT_EQ(digests[1], run(generate(22)).digest);
}

TEST(Life, WhatCannotBeReadIsAViolation) {
  Schedule schedule{.seed = 1, .replicas = 1, .length = std::chrono::seconds(5), .steps = {}};
  schedule.steps.push_back({std::chrono::seconds(1), "crush", "", {}});
  EXPECT_EQ(verdict(run(schedule)), "ScheduleIsReadable");
}

class Seeds : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(Seeds, BreakNoRule) {
  const Outcome outcome = run(generate(GetParam()));
  EXPECT_TRUE(outcome.violations.empty()) << text_of(outcome);
}

INSTANTIATE_TEST_SUITE_P(Fixed, Seeds, ::testing::Range<std::uint64_t>(1, 9));

TEST(Regressions, EveryScheduleThatOnceFoundABugBreaksNoRule) {
  const std::filesystem::path folder = std::filesystem::path(DAVIT_SOURCE_DIR) / "sim/regressions";
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::ifstream in(file);
    const Result<Schedule> schedule =
        schedule_from_yaml(std::string{std::istreambuf_iterator<char>(in), {}});
    ASSERT_TRUE(schedule) << file << ": " << schedule.error().describe();
    const Outcome outcome = run(*schedule);
    EXPECT_TRUE(outcome.violations.empty()) << file << "\n" << text_of(outcome);
  }
}

}  // namespace
}  // namespace davit::sim
