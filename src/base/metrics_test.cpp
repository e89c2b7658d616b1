#include "base/metrics.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace davit {
namespace {

constexpr std::array kBounds{0.1, 1.0, 10.0};
constexpr MetricDef kRequests{.name = "davit_requests_total",
                              .help = "Requests sent.",
                              .unit = "",
                              .type = MetricType::kCounter,
                              .labels = {"verb", "code"}};
constexpr MetricDef kDepth{.name = "davit_queue_depth", .help = "Keys waiting.", .unit = ""};
constexpr MetricDef kLatency{.name = "davit_latency_seconds",
                             .help = "How long an answer takes.",
                             .unit = "seconds",
                             .type = MetricType::kHistogram,
                             .labels = {"verb"},
                             .buckets = kBounds};
constexpr std::array kTable{kRequests, kDepth, kLatency};

TEST(Metrics, APrometheusPageHasHelpTypeAndOneLinePerSeries) {
  Metrics metrics;
  metrics.declare(kTable);
  metrics.counter(kRequests, {"get", "200"}).add();
  metrics.counter(kRequests, {"get", "200"}).add(2);
  metrics.counter(kRequests, {"put", "409"}).add();
  metrics.gauge(kDepth).set(7);
  Histogram& latency = metrics.histogram(kLatency, {"get"});
  latency.observe(0.1);
  latency.observe(0.5);
  latency.observe(100);
  EXPECT_EQ(metrics.expose(Exposition::kPrometheus),
            "# HELP davit_latency_seconds How long an answer takes.\n"
            "# TYPE davit_latency_seconds histogram\n"
            "davit_latency_seconds_bucket{verb=\"get\",le=\"0.1\"} 1\n"
            "davit_latency_seconds_bucket{verb=\"get\",le=\"1\"} 2\n"
            "davit_latency_seconds_bucket{verb=\"get\",le=\"10\"} 2\n"
            "davit_latency_seconds_bucket{verb=\"get\",le=\"+Inf\"} 3\n"
            "davit_latency_seconds_sum{verb=\"get\"} 100.6\n"
            "davit_latency_seconds_count{verb=\"get\"} 3\n"
            "# HELP davit_queue_depth Keys waiting.\n"
            "# TYPE davit_queue_depth gauge\n"
            "davit_queue_depth 7\n"
            "# HELP davit_requests_total Requests sent.\n"
            "# TYPE davit_requests_total counter\n"
            "davit_requests_total{verb=\"get\",code=\"200\"} 3\n"
            "davit_requests_total{verb=\"put\",code=\"409\"} 1\n");
}

TEST(Metrics, OpenMetricsNamesTheCounterFamilyWithoutTotalAndEndsWithEof) {
  Metrics metrics;
  metrics.counter(kRequests, {"get", "200"}).add();
  metrics.histogram(kLatency, {"get"}).observe(0.5);
  const std::string page = metrics.expose(Exposition::kOpenMetrics);
  EXPECT_NE(page.find("# TYPE davit_requests counter\ndavit_requests_total{"), std::string::npos);
  EXPECT_NE(page.find("# UNIT davit_latency_seconds seconds\n"), std::string::npos);
  EXPECT_NE(page.find("le=\"1.0\""), std::string::npos);
  EXPECT_TRUE(page.ends_with("# EOF\n"));
}

TEST(Metrics, LabelValuesAreEscaped) {
  Metrics metrics;
  metrics.counter(kRequests, {"a\"b", "c\\d\ne"}).add();
  EXPECT_NE(metrics.expose(Exposition::kPrometheus).find(R"({verb="a\"b",code="c\\d\ne"} 1)"),
            std::string::npos);
}

TEST(Metrics, ADeclaredMetricWithoutLabelsIsExposedBeforeItsFirstUse) {
  Metrics metrics;
  metrics.declare(kTable);
  const std::string page = metrics.expose(Exposition::kPrometheus);
  EXPECT_NE(page.find("davit_queue_depth 0\n"), std::string::npos);
  EXPECT_EQ(page.find("davit_requests_total"), std::string::npos);
  EXPECT_EQ(metrics.families().size(), 3u);
}

TEST(Metrics, CountersNeverGoDown) {
  Counter counter;
  counter.add(2);
  counter.add(-1);
  EXPECT_EQ(counter.value(), 2);
}

TEST(Metrics, RemovedSeriesDisappear) {
  Metrics metrics;
  metrics.counter(kRequests, {"get", "200"}).add();
  metrics.counter(kRequests, {"put", "200"}).add();
  metrics.histogram(kLatency, {"put"}).observe(1);
  metrics.remove(kRequests, {"get", "200"});
  metrics.remove_all("verb", "put");
  EXPECT_EQ(metrics.expose(Exposition::kPrometheus), "");
}

TEST(Metrics, HooksRunBeforeAScrapeWhileTheyAreKept) {
  Metrics metrics;
  double depth = 1;
  ScrapeHook hook = metrics.on_scrape([&] { metrics.gauge(kDepth).set(depth); });
  EXPECT_NE(metrics.expose(Exposition::kPrometheus).find("davit_queue_depth 1\n"),
            std::string::npos);
  hook.reset();
  depth = 2;
  EXPECT_NE(metrics.expose(Exposition::kPrometheus).find("davit_queue_depth 1\n"),
            std::string::npos);
}

TEST(Metrics, MisuseOfADefinitionThrows) {
  Metrics metrics;
  EXPECT_THROW(metrics.counter(kRequests, {"get"}), std::logic_error);
  EXPECT_THROW(metrics.gauge(kRequests, {"get", "200"}), std::logic_error);
  metrics.gauge(kDepth);
  constexpr MetricDef kOther{
      .name = "davit_queue_depth", .help = "Other.", .unit = "", .labels = {"x"}};
  EXPECT_THROW(metrics.gauge(kOther, {"1"}), std::logic_error);
}

TEST(Metrics, TheAcceptHeaderChoosesTheForm) {
  EXPECT_EQ(negotiate_exposition("application/openmetrics-text;version=1.0.0,text/plain;q=0.5"),
            Exposition::kOpenMetrics);
  EXPECT_EQ(negotiate_exposition("*/*"), Exposition::kPrometheus);
}

}  // namespace
}  // namespace davit
