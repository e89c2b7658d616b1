#include "kube/line_cutter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace davit::kube {
namespace {

std::vector<std::string> cut(const std::vector<std::string>& pieces) {
  LineCutter cutter;
  std::vector<std::string> lines;
  for (const std::string& piece : pieces) {
    cutter.feed(piece);
    while (auto line = cutter.next()) lines.push_back(line->value());
  }
  return lines;
}

using std::string_literals::operator""s;

const std::string kText = "first\nsecond \xff line\n\n\0nul\0\nlast\n"s;
const std::vector<std::string> kLines = {"first", "second \xff line", "\0nul\0"s, "last"};

TEST(LineCutter, GivesTheSameLinesWhereverTheTextIsCut) {
  for (std::size_t a = 0; a <= kText.size(); ++a) {
    for (std::size_t b = a; b <= kText.size(); ++b) {
      ASSERT_EQ(cut({kText.substr(0, a), kText.substr(a, b - a), kText.substr(b)}), kLines)
          << a << " " << b;
    }
  }
}

TEST(LineCutter, GivesTheSameLinesByteByByte) {
  std::vector<std::string> bytes;
  for (const char c : kText) bytes.emplace_back(1, c);
  EXPECT_EQ(cut(bytes), kLines);
}

TEST(LineCutter, KeepsTheUnfinishedLine) {
  LineCutter cutter;
  cutter.feed("whole\nhal");
  EXPECT_EQ(cutter.next()->value(), "whole");
  EXPECT_FALSE(cutter.next());
  EXPECT_EQ(cutter.pending(), 3U);
  cutter.feed("f\n");
  EXPECT_EQ(cutter.next()->value(), "half");
  EXPECT_EQ(cutter.pending(), 0U);
}

TEST(LineCutter, RefusesLinesBeyondTheLimitForGood) {
  LineCutter cutter(8);
  cutter.feed("12345678\n123456789");
  EXPECT_EQ(cutter.next()->value(), "12345678");
  EXPECT_EQ(cutter.next()->error().code(), Code::kInvalid);
  cutter.feed("\nx\n");
  EXPECT_EQ(cutter.next()->error().code(), Code::kInvalid);
  LineCutter finished(8);
  finished.feed("123456789\n");
  EXPECT_EQ(finished.next()->error().code(), Code::kInvalid);
}

TEST(LineCutter, TimeGrowsWithTheTextNotWithItsSquare) {
  // 16 MB in pieces of 64 bytes; quadratic work would take minutes.
  const auto started = std::chrono::steady_clock::now();
  LineCutter cutter;
  for (int i = 0; i < 250'000; ++i) {
    cutter.feed(std::string(64, 'x'));
    ASSERT_FALSE(cutter.next());
  }
  cutter.feed("\n");
  EXPECT_EQ(cutter.next()->value().size(), 16'000'000U);
  LineCutter many;
  many.feed(std::string(1, 'x'));
  std::size_t lines = 0;
  for (int i = 0; i < 100'000; ++i) {
    many.feed("yyyyyyyyyyyyyyy\nx");
    while (many.next()) ++lines;
  }
  EXPECT_EQ(lines, 100'000U);
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
}

}  // namespace
}  // namespace davit::kube
