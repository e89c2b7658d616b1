// Every file of test/scenario as it is written; davit-sim scenario also runs those with crashes.
#include "sim/scenario/scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace davit::sim {
namespace {

using ::testing::HasSubstr;

namespace fs = std::filesystem;

std::vector<std::string> names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(DAVIT_SOURCE_DIR "/test/scenario")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::ranges::sort(names);
  return names;
}

Scenario load(const std::string& name) {
  std::ifstream file(DAVIT_SOURCE_DIR "/test/scenario/" + name + ".yaml");
  std::stringstream text;
  text << file.rdbuf();
  Result<Scenario> scenario = scenario_from_yaml(text.str());
  if (!scenario) throw std::runtime_error(name + ": " + scenario.error().message());
  return *scenario;
}

class ScenarioFile : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioFile, HoldsAsWritten) {
  const Scenario scenario = load(GetParam());
  EXPECT_FALSE(scenario.title.empty());
  const ScenarioOutcome outcome = run(scenario);
  EXPECT_TRUE(outcome.good()) << outcome.describe();
}

INSTANTIATE_TEST_SUITE_P(All, ScenarioFile, ::testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

std::string refusal(std::string_view text) {
  const auto scenario = scenario_from_yaml(text);
  return scenario ? "" : std::string(scenario.error().message());
}

TEST(ScenarioText, SaysWhichItemIsWrongAndWhatIsNear) {
  EXPECT_THAT(refusal("{item: []}"), HasSubstr("did you mean \"items\"?"));
  EXPECT_THAT(refusal("{items: [{at: 1m, mark: true}, {at: 1s, mark: true}]}"),
              HasSubstr("item 2: it is earlier"));
  EXPECT_THAT(refusal("{items: [{at: 1m, expect: {condition: {}}}]}"),
              HasSubstr("item 1: nothing called \"condition\" can be expected (did you mean "
                        "\"conditions\"?)"));
  EXPECT_THAT(refusal("{items: [{at: soon, mark: true}]}"), HasSubstr("must be a duration"));
}

TEST(ScenarioText, AWrongExpectationIsMissed) {
  const auto scenario = scenario_from_yaml(
      "items: [{at: 0s, do: create, object: blocknodes/bn1},"
      " {at: 1m, expect: {conditions: {bn1: {Ready: True/Nonsense}}, exists: [pods/nobody]}}]");
  ASSERT_TRUE(scenario.has_value());
  EXPECT_THAT(run(*scenario).misses, ::testing::ElementsAre(HasSubstr("Ready of bn1 is "),
                                                            HasSubstr("pods/nobody is not there")));
}

}  // namespace
}  // namespace davit::sim
