// Live values of the metrics table and their OpenMetrics text.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "standin/blocknode/model/metrics_table.hpp"
#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

class Metrics {
 public:
  void add(Metric metric, std::int64_t more = 1) { at(metric) += more; }
  void set(Metric metric, std::int64_t value) { at(metric) = value; }
  void set(Metric metric, std::uint64_t value) { at(metric) = static_cast<std::int64_t>(value); }
  std::int64_t get(Metric metric) const { return values_[static_cast<std::size_t>(metric)]; }

  // The first `visible` rows that `version` knows, then "# EOF". While a node starts the set grows.
  std::string text(const Version& version, std::size_t visible, bool with_state) const;

 private:
  std::int64_t& at(Metric metric) { return values_[static_cast<std::size_t>(metric)]; }

  std::array<std::int64_t, static_cast<std::size_t>(Metric::kCount)> values_{};
};

}  // namespace davit::standin
