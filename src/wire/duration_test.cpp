#include "wire/duration.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace davit::wire {
namespace {

using namespace std::chrono_literals;

TEST(Duration, ReadsGoDurationsAndDays) {
  const std::pair<std::string_view, Duration> kCases[] = {{"0", 0ns},
                                                          {"0s", 0ns},
                                                          {"5s", 5s},
                                                          {"1h30m", 90min},
                                                          {"1.5h", 90min},
                                                          {".5s", 500ms},
                                                          {"5.s", 5s},
                                                          {"-1m", -60s},
                                                          {"+3ms", 3ms},
                                                          {"1h0m0.001s", 1h + 1ms},
                                                          {"7d", 168h},
                                                          {"10us", 10us},
                                                          {"10\xc2\xb5s", 10us},
                                                          {"10\xce\xbcs", 10us},
                                                          {"3ns", 3ns},
                                                          {"1.000000001s", 1s + 1ns},
                                                          {"0.9999999999999s", 999'999'999ns}};
  for (const auto& [text, expected] : kCases) {
    auto duration = parse_duration(text);
    ASSERT_TRUE(duration) << text;
    EXPECT_EQ(*duration, expected) << text;
  }
}

TEST(Duration, RefusesEverythingElse) {
  for (const std::string_view text : {"", "-", "5", "s", "1x", "1hour", "1h 30m", ".s", "1h30",
                                      "..5s", "1.2.3s", "--1s", "1e3s", "1S", "5m-3s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(Duration, KnowsItsEnds) {
  EXPECT_EQ(parse_duration("9223372036854775807ns").value().count(),
            std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_duration("-9223372036854775808ns").value().count(),
            std::numeric_limits<std::int64_t>::min());
  EXPECT_FALSE(parse_duration("9223372036854775808ns"));
  EXPECT_FALSE(parse_duration("-9223372036854775809ns"));
  EXPECT_FALSE(parse_duration("106752d"));
  EXPECT_FALSE(parse_duration("9999999999999999999999999999999999999999999999s"));
}

TEST(Duration, WritesAsGoAndReadsItBack) {
  const std::pair<Duration, std::string_view> kCases[] = {
      {0ns, "0s"},
      {5s, "5s"},
      {90min, "1h30m0s"},
      {1min, "1m0s"},
      {1500ms, "1.5s"},
      {500ms, "500ms"},
      {1500us, "1.5ms"},
      {10us, "10\xc2\xb5s"},
      {7ns, "7ns"},
      {-90s, "-1m30s"},
      {2160h, "2160h0m0s"},
      {Duration(std::numeric_limits<std::int64_t>::min()), "-2562047h47m16.854775808s"}};
  for (const auto& [duration, text] : kCases) {
    EXPECT_EQ(format_duration(duration), text);
    EXPECT_EQ(parse_duration(text).value(), duration);
  }
}

TEST(Duration, ShowsAgesAsKubectlDoes) {
  const std::pair<Duration, std::string_view> kCases[] = {
      {-5s, "0s"},       {0s, "0s"},          {119s, "119s"},       {120s, "2m"},
      {330s, "5m30s"},   {10min, "10m"},      {179min, "179m"},     {3h + 5min, "3h5m"},
      {4h, "4h"},        {47h, "47h"},        {48h, "2d"},          {24h * 7 + 23h, "7d23h"},
      {24h * 90, "90d"}, {24h * 729, "729d"}, {24h * 740, "2y10d"}, {24h * 365 * 9, "9y"}};
  for (const auto& [duration, text] : kCases) EXPECT_EQ(human_duration(duration), text);
}

}  // namespace
}  // namespace davit::wire
