#include "standin/blocknode/model/metrics.hpp"

namespace davit::standin {

std::string Metrics::text(const Version& version, std::size_t visible, bool with_state) const {
  std::string out;
  std::string_view family;
  for (std::size_t i = 0; i < std::size(kMetricRows) && i < visible; ++i) {
    const MetricRow& row = kMetricRows[i];
    if (!version.at_least(row.since)) continue;
    if (i == static_cast<std::size_t>(Metric::kAppStateStatus) && !with_state) continue;
    if (i == static_cast<std::size_t>(Metric::kHealthRequestsFailed) && values_[i] == 0) continue;
    if (family != row.family) {
      family = row.family;
      out.append("# TYPE ").append(row.family).append(" ").append(row.type).append("\n");
    }
    out.append(row.family).append(row.suffix);
    if (row.labels == "@version") {
      out.append("{VersionString=\"").append(version.text()).append("+\"}");
    } else {
      out.append(row.labels);
    }
    out.append(" ").append(std::to_string(values_[i])).append("\n");
  }
  return out.append("# EOF\n");
}

}  // namespace davit::standin
