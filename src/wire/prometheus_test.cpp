#include "wire/prometheus.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace davit::wire {
namespace {

TEST(Metrics, ReadsNamesLabelsValuesAndTypes) {
  const MetricsText text = parse_metrics(R"(# HELP app_height The height
# TYPE app_height gauge
app_height{node="a",path="/x"} 42
app_height{node="b",} 4.5e1 1767225600000
app_up 1
)");
  EXPECT_EQ(text.skipped, 0U);
  ASSERT_EQ(text.samples.size(), 3U);
  EXPECT_EQ(text.types.at("app_height"), "gauge");
  EXPECT_EQ(text.value("app_height", {{"node", "a"}}), 42);
  EXPECT_EQ(text.value("app_height", {{"node", "b"}}), 45);
  EXPECT_EQ(text.sum("app_height"), 87);
  EXPECT_EQ(text.value("app_up"), 1);
  EXPECT_EQ(text.value("none"), std::nullopt);
  EXPECT_EQ(text.sum("none"), std::nullopt);
  EXPECT_EQ(text.samples[1].timestamp, 1767225600000.0);
  EXPECT_EQ(text.samples[0].label("path"), "/x");
  EXPECT_EQ(text.samples[0].label("x"), std::nullopt);
}

TEST(Metrics, ReadsEscapesAndBracesInsideLabels) {
  const MetricsText text = parse_metrics("m{a=\"x\\\"y\\\\z\\n}, #\",b=\"\"} 1");
  ASSERT_EQ(text.samples.size(), 1U);
  EXPECT_EQ(text.samples[0].label("a"), "x\"y\\z\n}, #");
  EXPECT_EQ(text.samples[0].label("b"), "");
}

TEST(Metrics, ReadsSpecialValues) {
  const MetricsText text = parse_metrics("a +Inf\nb -Inf\nc NaN\nd{le=\"+Inf\"} 3\ne 1e-3\n");
  EXPECT_EQ(text.value("a"), INFINITY);
  EXPECT_EQ(text.value("b"), -INFINITY);
  EXPECT_TRUE(std::isnan(text.value("c").value()));
  EXPECT_EQ(text.value("e"), 0.001);
}

TEST(Metrics, ReadsOpenMetricsWithExemplarsAndQuotedNames) {
  const MetricsText text = parse_metrics(
      "# TYPE h histogram\nh_bucket{le=\"1\"} 5 # {trace_id=\"x\"} 0.5\n"
      "{\"quoted.name\", l=\"v\"} 7\n\"other\" 1\n# EOF\n");
  EXPECT_EQ(text.value("h_bucket"), 5);
  EXPECT_EQ(text.value("quoted.name", {{"l", "v"}}), 7);
}

TEST(Metrics, SkipsAndCountsWhatItCannotRead) {
  const MetricsText text = parse_metrics(
      "good 1\nbad\nbad{a=\"b\" 1\nbad{a=b} 1\nbad x\n{} 1\nbad 1 x\nbad{a=\"b\"}\n\r\n "
      "good2\t2\r\n");
  EXPECT_EQ(text.samples.size(), 2U);
  EXPECT_EQ(text.value("good2"), 2);
  EXPECT_EQ(text.skipped, 7U);
}

TEST(Metrics, AnyTruncationAndAnyByteIsHarmless) {
  std::string text = "# TYPE a counter\na{b=\"c\\\"\",d=\"e\"} 1 2 # {x=\"y\"} 3\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    EXPECT_LE(parse_metrics(std::string_view(text).substr(0, cut)).samples.size(), 1U);
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char byte : {'\0', '\xff', '"', '{', '\\', '\n'}) {
      std::string changed = text;
      changed[at] = byte;
      EXPECT_LE(parse_metrics(changed).samples.size(), 2U);
    }
  }
}

}  // namespace
}  // namespace davit::wire
