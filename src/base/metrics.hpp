// Metrics: the numbers Davit publishes about itself and its operands.
//
// Each module declares its metrics once, in a table of MetricDef, from which the documentation is
// made too; a series is made by naming a definition and the values of its labels:
//
//   inline constexpr MetricDef kRequests{.name = "davit_api_requests_total",
//                                        .help = "Requests sent to the API server.",
//                                        .type = MetricType::kCounter,
//                                        .labels = {"verb", "code"}};
//   metrics.counter(kRequests, {"get", "200"}).add();
//   ScrapeHook hook = metrics.on_scrape([&] { metrics.gauge(kQueueDepth).set(queue.size()); });
//   std::string page = metrics.expose(Exposition::kPrometheus);
//
// One thread: that of the loop. No global state: one Metrics, passed by reference. A reference to a
// series stays valid until remove() or the end of the Metrics; keep it on hot paths. A definition
// must outlive the Metrics (they are constants). Misuse (two definitions of one name, a wrong
// number of label values) throws std::logic_error: it cannot depend on input.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace davit {

enum class MetricType { kCounter, kGauge, kHistogram };

// Upper bounds in seconds that suit calls over a network.
inline constexpr std::array<double, 12> kLatencyBuckets{0.001, 0.005, 0.01, 0.025, 0.05, 0.1,
                                                        0.25,  0.5,   1,    2.5,   5,    10};

struct MetricDef {
  std::string_view name = {};  // snake_case, with the unit; counters end in _total
  std::string_view help = {};  // one sentence
  std::string_view unit = {};  // "seconds", "bytes", …; empty: a count of things
  MetricType type = MetricType::kGauge;
  std::array<std::string_view, 6> labels{};           // those that are not empty
  std::span<const double> buckets = kLatencyBuckets;  // of a histogram, ascending

  [[nodiscard]] std::size_t label_count() const;
};

class Counter {
 public:
  void add(double amount = 1) { value_ += amount > 0 ? amount : 0; }
  [[nodiscard]] double value() const { return value_; }

 private:
  double value_ = 0;
};

class Gauge {
 public:
  void set(double value) { value_ = value; }
  void add(double amount) { value_ += amount; }
  [[nodiscard]] double value() const { return value_; }

 private:
  double value_ = 0;
};

class Histogram {
 public:
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}
  void observe(double value);
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }
  [[nodiscard]] std::span<const double> bounds() const { return bounds_; }
  // One per bound and one above all; not cumulative.
  [[nodiscard]] std::span<const std::uint64_t> counts() const { return counts_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

using LabelValues = std::vector<std::string>;

enum class Exposition {
  kPrometheus,   // text/plain; version=0.0.4
  kOpenMetrics,  // application/openmetrics-text; version=1.0.0
};
[[nodiscard]] std::string_view content_type(Exposition format);
// What the Accept header of a scrape asks for.
[[nodiscard]] Exposition negotiate_exposition(std::string_view accept);

// Keeps an on_scrape function registered; may outlive the Metrics.
using ScrapeHook = std::shared_ptr<const std::function<void()>>;

class Metrics {
 public:
  struct Series {
    Counter counter;
    Gauge gauge;
    std::unique_ptr<Histogram> histogram;
  };
  struct Family {
    const MetricDef* def = nullptr;
    std::map<LabelValues, Series> series;
  };

  // Makes the definitions known, so that they are listed (and exposed, if they have no label)
  // before anything happens. Using a definition declares it too.
  void declare(std::span<const MetricDef> table);

  Counter& counter(const MetricDef& def, const LabelValues& labels = {});
  Gauge& gauge(const MetricDef& def, const LabelValues& labels = {});
  Histogram& histogram(const MetricDef& def, const LabelValues& labels = {});

  // Forgets one series: what it spoke of is gone.
  void remove(const MetricDef& def, const LabelValues& labels);
  // Forgets every series of every metric whose label `label` has this value.
  void remove_all(std::string_view label, std::string_view value);

  // Runs before each exposition or visit, to set gauges that are cheap to compute and change often.
  // As long as the returned hook is kept.
  [[nodiscard]] ScrapeHook on_scrape(std::function<void()> run);

  [[nodiscard]] std::string expose(Exposition format);
  // Every family, by name: for exporters and documentation.
  [[nodiscard]] const std::map<std::string_view, Family>& families();

 private:
  Series& series(const MetricDef& def, MetricType type, const LabelValues& labels);
  Family& family(const MetricDef& def);
  void run_hooks();

  std::map<std::string_view, Family> families_;
  std::vector<std::weak_ptr<const std::function<void()>>> hooks_;
};

}  // namespace davit
