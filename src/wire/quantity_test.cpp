#include "wire/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace davit::wire {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

Quantity q(std::string_view text) {
  auto quantity = Quantity::parse(text);
  EXPECT_TRUE(quantity) << text;
  return quantity ? *quantity : Quantity();
}

TEST(Quantity, ReadsEverySuffix) {
  EXPECT_EQ(q("1Ki").value(), 1024);
  EXPECT_EQ(q("1Mi").value(), 1 << 20);
  EXPECT_EQ(q("1Gi").value(), 1 << 30);
  EXPECT_EQ(q("1Ti").value(), std::int64_t{1} << 40);
  EXPECT_EQ(q("1Pi").value(), std::int64_t{1} << 50);
  EXPECT_EQ(q("1Ei").value(), std::int64_t{1} << 60);
  EXPECT_EQ(q("1k").value(), 1000);
  EXPECT_EQ(q("1M").value(), 1'000'000);
  EXPECT_EQ(q("1G").value(), 1'000'000'000);
  EXPECT_EQ(q("1T").value(), 1'000'000'000'000);
  EXPECT_EQ(q("1P").value(), 1'000'000'000'000'000);
  EXPECT_EQ(q("1E").value(), 1'000'000'000'000'000'000);
  EXPECT_EQ(q("500m").milli_value(), 500);
  EXPECT_EQ(q("1000000n").milli_value(), 1);
  EXPECT_EQ(q("1000u").milli_value(), 1);
  EXPECT_EQ(q("1e3").value(), 1000);
  EXPECT_EQ(q("1E3").value(), 1000);
  EXPECT_EQ(q("15e-1").milli_value(), 1500);
}

TEST(Quantity, ReadsFractionsExactly) {
  EXPECT_EQ(q("1.5Gi").value(), 1'610'612'736);
  EXPECT_EQ(q("0.1Ki"), q("102.4"));
  EXPECT_EQ(q(".5"), q("500m"));
  EXPECT_EQ(q("5."), q("5"));
  EXPECT_EQ(q("0.000000001E"), q("1G"));
  EXPECT_EQ(q("1.000000001Ei").value(), 1'152'921'505'759'768'481);  // 2^60 + 2^60 / 10^9
  EXPECT_EQ(q("0.00000000000000000001Ei"), q("11529216n"));          // 20 digits, rounded up
  EXPECT_EQ(q("-1.5"), q("-1500m"));
  EXPECT_EQ(q("+2"), q("2"));
}

TEST(Quantity, RoundsAwayFromZeroBelowNano) {
  EXPECT_EQ(q("0.1n"), q("1n"));
  EXPECT_EQ(q("-0.1n"), q("-1n"));
  EXPECT_EQ(q("1e-30"), q("1n"));
  EXPECT_EQ(q("0e-30"), q("0"));
  EXPECT_EQ(q("1.0000000001"), q("1000000001n"));
  EXPECT_EQ(q("1100m").value(), 2);
  EXPECT_EQ(q("-1100m").value(), -2);
}

TEST(Quantity, CapsAtInt64WhateverTheSize) {
  for (const std::string_view text :
       {"9223372036854775807", "9223372036854775808", "8Ei", "1e400000000000", "999999999Ei",
        "99999999999999999999999999999999999999999999999999", "1000E"}) {
    EXPECT_EQ(q(text).value(), kMax) << text;
    EXPECT_EQ(q("-" + std::string(text)).value(), -kMax) << text;
  }
  EXPECT_EQ(q("9223372036854775806").value(), kMax - 1);
  EXPECT_EQ(q("0000000000000000000000000000000000000000000000000005").value(), 5);
  EXPECT_EQ(q("7Ei").plus(q("7Ei")).value(), kMax);
  EXPECT_EQ(q("9223372036854775807").milli_value(), kMax);
}

TEST(Quantity, RefusesEverythingElse) {
  for (const std::string_view text :
       {"",      "-",   "+",   ".",    "Ki",  "1ki", "1KI",   "1i",    "1K",
        "1mi",   "1 ",  " 1",  "1 Gi", "1e",  "1e+", "1e1.5", "1e3Ki", "0x10",
        "1_000", "1,5", "--1", "1GiB", "Inf", "NaN", "1.2.3", "1m1"}) {
    EXPECT_FALSE(Quantity::parse(text)) << text;
  }
  EXPECT_FALSE(Quantity::parse(std::string_view("1\0", 2)));
}

TEST(Quantity, WritesTheCanonicalFormOfKubernetes) {
  const std::pair<std::string_view, std::string_view> kForms[] = {
      {"0", "0"},           {"0Gi", "0"},
      {"1024Mi", "1Gi"},    {"1.5Gi", "1536Mi"},
      {"1000Ki", "1000Ki"}, {"512", "512"},
      {"1Ki", "1Ki"},       {"0.5Ki", "512"},
      {"0.1Ki", "102400m"}, {"1000m", "1"},
      {"0.5", "500m"},      {"1500m", "1500m"},
      {"1000k", "1M"},      {"123456", "123456"},
      {"1e3", "1e3"},       {"1e1", "10"},
      {"1000", "1k"},       {"12e6", "12e6"},
      {"-1024Ki", "-1Mi"},  {"8Ei", "9223372036854775807"},
      {"1n", "1n"},         {"1000E", "9223372036854775807"},
      {"1.0e-3", "1e-3"}};
  for (const auto& [text, canonical_form] : kForms) {
    EXPECT_EQ(q(text).to_string(), canonical_form) << text;
    EXPECT_EQ(q(q(text).to_string()), q(text)) << text;
  }
  EXPECT_EQ(Quantity::bytes(100LL << 30).to_string(), "100Gi");
  EXPECT_EQ(Quantity::bytes(1500).to_string(), "1500");
  EXPECT_EQ(Quantity::bytes(1000).to_string(), "1k");  // below 1024 Kubernetes turns to decimal
  EXPECT_EQ(Quantity::units(2000).to_string(), "2k");
  EXPECT_EQ(Quantity::millis(250).to_string(), "250m");
}

TEST(Quantity, ComparesByMeaning) {
  EXPECT_TRUE(same_quantity("1Gi", "1024Mi"));
  EXPECT_TRUE(same_quantity("1", "1000m"));
  EXPECT_FALSE(same_quantity("1G", "1Gi"));
  EXPECT_FALSE(same_quantity("x", "x"));
  EXPECT_LT(q("1G"), q("1Gi"));
  EXPECT_LT(q("-1"), q("0"));
}

TEST(Quantity, TakesJsonNumbersToo) {
  EXPECT_EQ(Quantity::parse(json::value(2)).value(), q("2"));
  EXPECT_EQ(Quantity::parse(json::value(0.5)).value(), q("500m"));
  EXPECT_EQ(Quantity::parse(json::value("2Gi")).value(), q("2Gi"));
  EXPECT_FALSE(Quantity::parse(json::value(true)));
  EXPECT_FALSE(Quantity::parse(json::value(nullptr)));
}

TEST(HumanBytes, KeepsThreeDigits) {
  EXPECT_EQ(human_bytes(0), "0 B");
  EXPECT_EQ(human_bytes(999), "999 B");
  EXPECT_EQ(human_bytes(1024), "1.00 KiB");
  EXPECT_EQ(human_bytes(1'610'612'736), "1.50 GiB");
  EXPECT_EQ(human_bytes(500LL << 40), "500 TiB");
  EXPECT_EQ(human_bytes(1023LL << 20), "1.00 GiB");
  EXPECT_EQ(human_bytes(kMax), "8.00 EiB");
  EXPECT_EQ(human_bytes(-2048), "-2.00 KiB");
}

}  // namespace
}  // namespace davit::wire
