#include "kube/conditions.hpp"

#include <gtest/gtest.h>

#include "kube/text.hpp"

namespace davit::kube {
namespace {

using std::chrono::seconds;

constexpr WallTime kNow{seconds(1'767'225'600)};

TEST(Conditions, AreAddedWithEveryMember) {
  json::array conditions;
  EXPECT_TRUE(
      set_condition(conditions, {"Ready", ConditionStatus::kFalse, "Starting", "wait", 3}, kNow));
  EXPECT_EQ(wire::canonical(conditions),
            R"([{"lastTransitionTime":"2026-01-01T00:00:00Z","message":"wait",)"
            R"("observedGeneration":3,"reason":"Starting","status":"False","type":"Ready"}])");
}

TEST(Conditions, TransitionTimeMovesOnlyWithTheStatus) {
  json::array conditions;
  set_condition(conditions, {"Ready", ConditionStatus::kFalse, "A", "a", 1}, kNow);
  EXPECT_FALSE(set_condition(conditions, {"Ready", ConditionStatus::kFalse, "A", "a", 1},
                             kNow + seconds(9)));
  EXPECT_TRUE(set_condition(conditions, {"Ready", ConditionStatus::kFalse, "B", "b", 2},
                            kNow + seconds(9)));
  EXPECT_EQ(wire::find_string(*find_condition(conditions, "Ready"), "lastTransitionTime"),
            "2026-01-01T00:00:00Z");
  EXPECT_TRUE(
      set_condition(conditions, {"Ready", ConditionStatus::kTrue, "B", "b", 2}, kNow + seconds(9)));
  EXPECT_EQ(wire::find_string(*find_condition(conditions, "Ready"), "lastTransitionTime"),
            "2026-01-01T00:00:09Z");
}

TEST(Conditions, OthersAreLeftAlone) {
  auto conditions =
      wire::parse_json(R"([{"type":"Mine","status":"True","extra":1},7])").value().as_array();
  set_condition(conditions, {"Ready", ConditionStatus::kTrue, "", "", 0}, kNow);
  EXPECT_EQ(conditions.size(), 3U);
  EXPECT_EQ(conditions[0].at("extra"), 1);
  EXPECT_EQ(wire::find_string(conditions[2].as_object(), "reason"), "Ready");
  EXPECT_TRUE(remove_condition(conditions, "Ready"));
  EXPECT_FALSE(remove_condition(conditions, "Ready"));
}

TEST(Conditions, ABrokenOneIsRepaired) {
  auto conditions = wire::parse_json(R"([{"type":"Ready","status":"True"}])").value().as_array();
  EXPECT_TRUE(set_condition(conditions, {"Ready", ConditionStatus::kTrue, "A", "", 1}, kNow));
  EXPECT_EQ(wire::find_string(*find_condition(conditions, "Ready"), "lastTransitionTime"),
            "2026-01-01T00:00:00Z");
}

TEST(Conditions, OnlyTheThreeWordsCount) {
  const json::object object = wire::parse_json_object(R"({"status":{"conditions":[
    {"type":"A","status":"True"},{"type":"B","status":"False"},{"type":"C","status":"Degraded"}]}})")
                                  .value();
  EXPECT_EQ(condition_status(object, "A"), ConditionStatus::kTrue);
  EXPECT_EQ(condition_status(object, "B"), ConditionStatus::kFalse);
  EXPECT_EQ(condition_status(object, "C"), ConditionStatus::kUnknown);
  EXPECT_EQ(condition_status(object, "D"), ConditionStatus::kUnknown);
  EXPECT_EQ(condition_status(json::object(), "A"), ConditionStatus::kUnknown);
}

TEST(FitText, CutsBetweenCharactersAndMarksIt) {
  EXPECT_EQ(fit_text("abc", 3), "abc");
  EXPECT_EQ(fit_text("abcdefgh", 6), "abc...");
  EXPECT_EQ(fit_text("aéééé", 7), "aé...");
  EXPECT_EQ(fit_text("😀😀😀", 10), "😀...");
  EXPECT_EQ(fit_text("abcdef", 2), "");
  EXPECT_EQ(fit_text("", 0), "");
  for (std::size_t limit = 3; limit < 40; ++limit) {
    EXPECT_LE(fit_text("日本語のとても長い文章です", limit).size(), limit);
  }
}

TEST(FitText, ReplacesWhatIsNotUtf8) {
  // A lone byte, a cut character, a surrogate, an overlong NUL, a byte beyond Unicode.
  EXPECT_EQ(fit_text("a\xff-\xc3(\xed\xa0\x80\xc0\x80\xf5", 100), "a?-?(??????");
}

}  // namespace
}  // namespace davit::kube
