// The text that Prometheus and OpenMetrics targets expose, read into samples.
//
//   const MetricsText text = parse_metrics(body);
//   std::optional<double> height = text.value("app_block_height", {{"node", "a"}});
//
// Tolerant: a line that cannot be read is counted and skipped, since one odd metric must not hide
// the rest. Exemplars are dropped. Histograms appear as their _bucket, _sum and _count samples.
// Pure. Sources: prometheus.io "Exposition formats" 0.0.4; OpenMetrics 1.0; quoted UTF-8 names
// of 1.0.0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace davit::wire {

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Sample {
  std::string name;
  Labels labels;  // in the order of the text
  double value = 0;
  std::optional<double> timestamp;  // as written: ms in Prometheus text, seconds in OpenMetrics

  [[nodiscard]] std::optional<std::string_view> label(std::string_view label_name) const;
  // Every one of `wanted` is there with that value.
  [[nodiscard]] bool matches(const Labels& wanted) const;
};

struct MetricsText {
  std::vector<Sample> samples;
  std::map<std::string, std::string, std::less<>> types;  // family → "counter", "gauge", …
  std::size_t skipped = 0;                                // lines that could not be read

  // Of the first sample that matches.
  [[nodiscard]] std::optional<double> value(std::string_view name, const Labels& wanted = {}) const;
  // Over all that match; nullopt when none does.
  [[nodiscard]] std::optional<double> sum(std::string_view name, const Labels& wanted = {}) const;
};

[[nodiscard]] MetricsText parse_metrics(std::string_view text);

}  // namespace davit::wire
