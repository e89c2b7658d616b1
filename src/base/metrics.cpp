#include "base/metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace davit {

std::size_t MetricDef::label_count() const {
  return static_cast<std::size_t>(std::ranges::find(labels, std::string_view{}) - labels.begin());
}

void Histogram::observe(double value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value);
  ++counts_[static_cast<std::size_t>(bucket - bounds_.begin())];
  ++count_;
  sum_ += value;
}

Metrics::Family& Metrics::family(const MetricDef& def) {
  Family& family = families_[def.name];
  if (family.def == nullptr) {
    family.def = &def;
    if (def.label_count() == 0) series(def, def.type, {});
  }
  // A constant in a header may have one address per program only if it is inline: compare by value.
  if (family.def != &def && (family.def->type != def.type || family.def->labels != def.labels)) {
    throw std::logic_error(fmt::format("metric {} is declared twice, differently", def.name));
  }
  return family;
}

Metrics::Series& Metrics::series(const MetricDef& def, MetricType type, const LabelValues& labels) {
  if (def.type != type || labels.size() != def.label_count()) {
    throw std::logic_error(fmt::format("metric {} is used against its declaration", def.name));
  }
  Series& series = family(def).series[labels];
  if (type == MetricType::kHistogram && !series.histogram) {
    series.histogram = std::make_unique<Histogram>(def.buckets);
  }
  return series;
}

void Metrics::declare(std::span<const MetricDef> table) {
  for (const MetricDef& def : table) family(def);
}

Counter& Metrics::counter(const MetricDef& def, const LabelValues& labels) {
  return series(def, MetricType::kCounter, labels).counter;
}
Gauge& Metrics::gauge(const MetricDef& def, const LabelValues& labels) {
  return series(def, MetricType::kGauge, labels).gauge;
}
Histogram& Metrics::histogram(const MetricDef& def, const LabelValues& labels) {
  return *series(def, MetricType::kHistogram, labels).histogram;
}

void Metrics::remove(const MetricDef& def, const LabelValues& labels) {
  const auto found = families_.find(def.name);
  if (found != families_.end()) found->second.series.erase(labels);
}

void Metrics::remove_all(std::string_view label, std::string_view value) {
  for (auto& [name, family] : families_) {
    const auto at = std::ranges::find(family.def->labels, label);
    if (at == family.def->labels.end()) continue;
    const auto index = static_cast<std::size_t>(at - family.def->labels.begin());
    std::erase_if(family.series, [&](const auto& entry) { return entry.first[index] == value; });
  }
}

ScrapeHook Metrics::on_scrape(std::function<void()> run) {
  auto hook = std::make_shared<const std::function<void()>>(std::move(run));
  hooks_.push_back(hook);
  return hook;
}

void Metrics::run_hooks() {
  std::erase_if(hooks_, [](const auto& hook) { return hook.expired(); });
  for (const auto& weak : std::vector(hooks_)) {
    if (const ScrapeHook hook = weak.lock()) (*hook)();
  }
}

const std::map<std::string_view, Metrics::Family>& Metrics::families() {
  run_hooks();
  return families_;
}

}  // namespace davit
