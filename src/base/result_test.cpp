#include "base/result.hpp"

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "base/random.hpp"

namespace davit {
namespace {

TEST(Error, ACauseKeepsCodeReasonAndRetryHint) {
  const Error inner = Error(Code::kTooManyRequests, "slow down")
                          .with_reason("TooManyRequests")
                          .with_retry_after(std::chrono::seconds(3));
  const Error outer = Error(inner).because("cannot list pods");
  EXPECT_EQ(outer.code(), Code::kTooManyRequests);
  EXPECT_EQ(outer.reason(), "TooManyRequests");
  EXPECT_EQ(outer.retry_after(), std::chrono::seconds(3));
  EXPECT_EQ(outer.describe(), "cannot list pods: slow down");
}

TEST(Error, OnlyWhatMayPassByItselfIsTransient) {
  EXPECT_TRUE(Error(Code::kUnavailable, "").is_transient());
  EXPECT_TRUE(Error(Code::kConflict, "").is_transient());
  EXPECT_FALSE(Error(Code::kInvalid, "").is_transient());
  EXPECT_FALSE(Error(Code::kForbidden, "").is_transient());
}

TEST(Clock, TimesArePrintedAsKubernetesWritesThem) {
  const WallTime time{std::chrono::microseconds(1'767'225'600'000'042)};
  EXPECT_EQ(format_time(time), "2026-01-01T00:00:00Z");
  EXPECT_EQ(format_micro_time(time), "2026-01-01T00:00:00.000042Z");
}

TEST(Random, OneSeedGivesOneSequence) {
  SeededRandom a(42);
  SeededRandom b(42);
  SeededRandom c(43);
  EXPECT_EQ(a.next(), b.next());
  EXPECT_NE(a.next(), c.next());
  EXPECT_EQ(a.below(0), 0u);
  for (int i = 0; i < 100; ++i) EXPECT_LT(a.below(7), 7u);
}

}  // namespace
}  // namespace davit
