#include "wire/time.hpp"

#include <gtest/gtest.h>

namespace davit::wire {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kNewYear{1'767'225'600s};  // 2026-01-01T00:00:00Z

TEST(Time, ReadsWhatTheClockWrites) {
  EXPECT_EQ(parse_time(format_time(kNewYear)).value(), kNewYear);
  EXPECT_EQ(parse_time(format_micro_time(kNewYear + 123'456us)).value(), kNewYear + 123'456us);
}

TEST(Time, ReadsFractionsOffsetsAndLeapDays) {
  EXPECT_EQ(parse_time("2026-01-01T00:00:00.5Z").value(), kNewYear + 500ms);
  EXPECT_EQ(parse_time("2026-01-01T00:00:00.123456999Z").value(), kNewYear + 123'456us);
  EXPECT_EQ(parse_time("2026-01-01T02:30:00+02:30").value(), kNewYear);
  EXPECT_EQ(parse_time("2025-12-31T19:00:00-05:00").value(), kNewYear);
  EXPECT_EQ(parse_time("2025-12-31T23:59:60Z").value(), kNewYear);
  EXPECT_TRUE(parse_time("2024-02-29T00:00:00Z"));
  EXPECT_TRUE(parse_time("0001-01-01T00:00:00Z"));
  EXPECT_TRUE(parse_time("9999-12-31T23:59:59Z"));
}

TEST(Time, RefusesEverythingElse) {
  for (const std::string_view text :
       {"", "2026", "2026-01-01", "2026-01-01T00:00:00", "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01 00:00:00Z", "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00.Z", "2026-1-1T0:0:0Z",
        "26-01-01T00:00:00Z", "-026-01-01T00:00:00Z", "2026-01-01T00:00:00+2:00"}) {
    EXPECT_FALSE(parse_time(text)) << text;
  }
}

}  // namespace
}  // namespace davit::wire
