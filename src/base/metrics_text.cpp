// The text forms of Metrics: Prometheus 0.0.4 and OpenMetrics 1.0.
#include <fmt/format.h>

#include <cmath>

#include "base/metrics.hpp"

namespace davit {

namespace {

std::string escape(std::string_view text, bool quotes) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '\\') {
      out += "\\\\";
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '"' && quotes) {
      out += "\\\"";
    } else {
      out += c;
    }
  }
  return out;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

// `le` is the bound of a histogram bucket, or empty.
std::string label_set(const MetricDef& def, const LabelValues& values, std::string_view le = {}) {
  std::string out;
  const auto add = [&](std::string_view name, std::string_view value) {
    fmt::format_to(std::back_inserter(out), "{}{}=\"{}\"", out.empty() ? "{" : ",", name,
                   escape(value, true));
  };
  for (std::size_t i = 0; i < values.size(); ++i) add(def.labels[i], values[i]);
  if (!le.empty()) add("le", le);
  if (!out.empty()) out += '}';
  return out;
}

std::string_view type_name(MetricType type) {
  switch (type) {
    case MetricType::kCounter:
      return "counter";
    case MetricType::kGauge:
      return "gauge";
    case MetricType::kHistogram:
      return "histogram";
  }
  return "unknown";
}

void append_histogram(std::string& out, const MetricDef& def, const LabelValues& labels,
                      const Histogram& histogram, Exposition format) {
  const auto into = std::back_inserter(out);
  std::uint64_t cumulative = 0;
  for (std::size_t i = 0; i < histogram.counts().size(); ++i) {
    cumulative += histogram.counts()[i];
    std::string le = "+Inf";
    if (i < histogram.bounds().size()) {
      le = number(histogram.bounds()[i]);
      // OpenMetrics wants floats that look like floats.
      if (format == Exposition::kOpenMetrics && le.find_first_of(".e") == std::string::npos)
        le += ".0";
    }
    fmt::format_to(into, "{}_bucket{} {}\n", def.name, label_set(def, labels, le), cumulative);
  }
  fmt::format_to(into, "{}_sum{} {}\n", def.name, label_set(def, labels), number(histogram.sum()));
  fmt::format_to(into, "{}_count{} {}\n", def.name, label_set(def, labels), histogram.count());
}

void append_family(std::string& out, const Metrics::Family& family, Exposition format) {
  const MetricDef& def = *family.def;
  const auto into = std::back_inserter(out);
  const bool open = format == Exposition::kOpenMetrics;
  std::string_view name = def.name;
  if (open && def.type == MetricType::kCounter && name.ends_with("_total")) name.remove_suffix(6);
  fmt::format_to(into, "# HELP {} {}\n", name, escape(def.help, open));
  fmt::format_to(into, "# TYPE {} {}\n", name, type_name(def.type));
  if (open && !def.unit.empty() && name.ends_with(fmt::format("_{}", def.unit))) {
    fmt::format_to(into, "# UNIT {} {}\n", name, def.unit);
  }
  for (const auto& [labels, series] : family.series) {
    if (def.type == MetricType::kHistogram) {
      append_histogram(out, def, labels, *series.histogram, format);
    } else {
      const bool is_counter = def.type == MetricType::kCounter;
      fmt::format_to(into, "{}{} {}\n",
                     open && is_counter ? fmt::format("{}_total", name) : std::string(name),
                     label_set(def, labels),
                     number(is_counter ? series.counter.value() : series.gauge.value()));
    }
  }
}

}  // namespace

std::string_view content_type(Exposition format) {
  return format == Exposition::kPrometheus
             ? "text/plain; version=0.0.4; charset=utf-8"
             : "application/openmetrics-text; version=1.0.0; charset=utf-8";
}

Exposition negotiate_exposition(std::string_view accept) {
  return accept.find("application/openmetrics-text") != std::string_view::npos
             ? Exposition::kOpenMetrics
             : Exposition::kPrometheus;
}

std::string Metrics::expose(Exposition format) {
  run_hooks();
  std::string out;
  for (const auto& [name, family] : families_) {
    if (!family.series.empty()) append_family(out, family, format);
  }
  if (format == Exposition::kOpenMetrics) out += "# EOF\n";
  return out;
}

}  // namespace davit
