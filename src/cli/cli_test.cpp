#include <gtest/gtest.h>

#include "cli/report.hpp"
#include "cli/status_view.hpp"

namespace davit::cli {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

TEST(HumanAge, HasOneUnit) {
  EXPECT_EQ(human_age(seconds(0)), "0s");
  EXPECT_EQ(human_age(seconds(119)), "119s");
  EXPECT_EQ(human_age(minutes(5)), "5m");
  EXPECT_EQ(human_age(hours(47)), "47h");
  EXPECT_EQ(human_age(hours(24 * 90)), "90d");
  EXPECT_EQ(human_age(seconds(-5)), "0s") << "clocks of two machines differ";
}

TEST(AgeOf, ReadsKubernetesTimes) {
  const WallTime now{std::chrono::sys_days(std::chrono::year(2026) / 1 / 2)};
  EXPECT_EQ(age_of("2026-01-01T23:59:30Z", now), Duration(seconds(30)));
  EXPECT_EQ(age_of("2026-01-01T23:59:30.000000Z", now), Duration(seconds(30)));
  EXPECT_FALSE(age_of("", now));
  EXPECT_FALSE(age_of("yesterday", now));
}

TEST(RenderStatus, SaysWhatIsWrongWithoutStatus) {
  NodeFacts facts;
  facts.node = {{"metadata", {{"namespace", "ns"}, {"name", "bn1"}}},
                {"spec", {{"version", "0.40.1"}}}};
  const std::string text = render_status(facts, WallTime{});
  EXPECT_NE(text.find("BlockNode ns/bn1"), std::string::npos);
  EXPECT_NE(text.find("has not looked at this node yet"), std::string::npos);
}

TEST(RenderStatus, ShowsTheReadyMessageAndTheVolumes) {
  NodeFacts facts;
  facts.node = {
      {"metadata", {{"namespace", "ns"}, {"name", "bn1"}}},
      {"spec", {{"version", "0.40.1"}}},
      {"status",
       {{"lastBlock", 7},
        {"conditions", json::array{json::object{{"type", "Ready"},
                                                {"status", "False"},
                                                {"reason", "ClaimPending"},
                                                {"message", "claim bn1-live is not bound"}}}},
        {"volumes", json::array{json::object{
                        {"name", "live"}, {"claim", "bn1-live"}, {"usedPercent", 42}}}}}}};
  const std::string text = render_status(facts, WallTime{});
  EXPECT_NE(text.find("False ClaimPending"), std::string::npos) << text;
  EXPECT_NE(text.find("claim bn1-live is not bound"), std::string::npos);
  EXPECT_NE(text.find("42%"), std::string::npos);
}

TEST(Mask, HidesSecretsInTextAndKeepsTheRest) {
  EXPECT_EQ(mask_text("CLOUD_STORAGE_ARCHIVE_SECRET_KEY=abc PORT=1"),
            "CLOUD_STORAGE_ARCHIVE_SECRET_KEY=******** PORT=1");
  EXPECT_EQ(mask_text(R"("access_key": "abc", "x": 1)"), R"("access_key": ********, "x": 1)");
  EXPECT_EQ(mask_text("height 12"), "height 12");
}

TEST(Mask, HidesEnvironmentValuesAndMapMembersInObjects) {
  json::value value = {{"env", json::array{json::object{{"name", "MY_PASSWORD"}, {"value", "p"}},
                                           json::object{{"name", "PORT"}, {"value", "1"}}}},
                       {"data", {{"API_TOKEN", "t"}, {"OTHER", "o"}}}};
  mask_object(value);
  const std::string text = wire::canonical(value);
  EXPECT_EQ(text.find("\"p\""), std::string::npos) << text;
  EXPECT_EQ(text.find("\"t\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"o\""), std::string::npos) << text;
}

}  // namespace
}  // namespace davit::cli
