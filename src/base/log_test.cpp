#include "base/log.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

namespace davit {
namespace {

class LogTest : public testing::Test {
 protected:
  Logger make(LogFormat format, LogLevel level = LogLevel::kInfo) {
    return Logger({.level = level,
                   .format = format,
                   .sink = [this](std::string_view line) { lines_.emplace_back(line); }},
                  clock_);
  }
  ManualClock clock_;
  std::vector<std::string> lines_;
};

TEST_F(LogTest, LogfmtQuotesOnlyWhatNeedsIt) {
  make(LogFormat::kLogfmt)
      .warn("two words", {{"object", ObjectKey{"ns", "a"}},
                          {"count", 3},
                          {"ok", true},
                          {"empty", ""},
                          {"text", "say \"hi\"\n"},
                          {"took", std::chrono::milliseconds(1500)}});
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(lines_[0],
            "time=2026-01-01T00:00:00.000000Z level=warn msg=\"two words\" object=ns/a count=3 "
            "ok=true empty=\"\" text=\"say \\\"hi\\\"\\n\" took=1.5");
}

TEST_F(LogTest, JsonLinesKeepNumbersAndEscapeControlCharacters) {
  make(LogFormat::kJson)
      .info("m", {{"n", -1}, {"nan", std::numeric_limits<double>::quiet_NaN()}, {"s", "a\x01\\"}});
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(
      lines_[0],
      R"({"time":"2026-01-01T00:00:00.000000Z","level":"info","msg":"m","n":-1,"nan":"nan","s":"a\u0001\\"})");
}

TEST_F(LogTest, LinesBelowTheLevelAreNotWritten) {
  Logger log = make(LogFormat::kLogfmt, LogLevel::kWarn);
  log.info("no");
  log.error("yes");
  EXPECT_EQ(lines_.size(), 1u);
  log.set_level(LogLevel::kDebug);
  log.debug("now");
  EXPECT_EQ(lines_.size(), 2u);
}

TEST_F(LogTest, BoundFieldsAreOnEachLineOfTheChildOnly) {
  const Logger log = make(LogFormat::kLogfmt);
  log.with({{"kind", "BlockNode"}}).info("child");
  log.info("parent");
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_TRUE(lines_[0].ends_with("msg=child kind=BlockNode"));
  EXPECT_TRUE(lines_[1].ends_with("msg=parent"));
}

TEST_F(LogTest, ASecretPrintsStarsEverywhere) {
  const Secret<std::string> token("hunter2");
  make(LogFormat::kJson).info("m", {{"token", token}});
  std::ostringstream out;
  out << token << to_string(token);
  EXPECT_EQ(out.str(), "******");
  EXPECT_EQ(lines_[0].find("hunter2"), std::string::npos);
  EXPECT_EQ(token.reveal(), "hunter2");
}

TEST_F(LogTest, AnErrorIsLoggedWithItsCauses) {
  make(LogFormat::kLogfmt)
      .error("m", {{"error", Error(Code::kUnavailable, "refused").because("no answer")}});
  EXPECT_TRUE(lines_[0].ends_with("error=\"no answer: refused\""));
}

TEST_F(LogTest, TheSilentLoggerIsNeverEnabled) {
  EXPECT_FALSE(Logger::silent().enabled(LogLevel::kError));
}

TEST(LogLevel, ParsesItsOwnNamesAndNamesThemInTheError) {
  EXPECT_EQ(parse_log_level("warn").value(), LogLevel::kWarn);
  const auto bad = parse_log_level("loud");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), Code::kInvalid);
  EXPECT_NE(bad.error().message().find("debug, info"), std::string::npos);
}

}  // namespace
}  // namespace davit
