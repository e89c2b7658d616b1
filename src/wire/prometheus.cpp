#include "wire/prometheus.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace davit::wire {

namespace {

constexpr std::string_view kBlank = " \t\r";

void skip_blank(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

std::string_view take_until(std::string_view& text, std::string_view stops) {
  const std::size_t end = std::min(text.find_first_of(stops), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

// The opening quote is the first character.
bool take_quoted(std::string_view& text, std::string& out) {
  text.remove_prefix(1);
  while (!text.empty()) {
    char c = text.front();
    text.remove_prefix(1);
    if (c == '"') return true;
    if (c == '\\' && !text.empty()) {
      c = text.front() == 'n' ? '\n' : text.front();
      text.remove_prefix(1);
    }
    out += c;
  }
  return false;
}

bool take_labels(std::string_view& text, Sample& sample) {
  text.remove_prefix(1);
  for (;;) {
    skip_blank(text);
    if (text.empty()) return false;
    if (text.front() == '}') {
      text.remove_prefix(1);
      return true;
    }
    std::string name;
    if (text.front() == '"') {
      if (!take_quoted(text, name)) return false;
    } else {
      name = take_until(text, "=,} \t\"");
    }
    skip_blank(text);
    if (text.starts_with('=')) {
      text.remove_prefix(1);
      skip_blank(text);
      std::string value;
      if (name.empty() || !text.starts_with('"') || !take_quoted(text, value)) return false;
      sample.labels.emplace_back(std::move(name), std::move(value));
    } else if (sample.name.empty() && !name.empty()) {
      sample.name = std::move(name);  // {"a name in quotes", label="value"}
    } else {
      return false;
    }
    skip_blank(text);
    if (text.starts_with(',')) {
      text.remove_prefix(1);
    } else if (!text.starts_with('}')) {
      return false;
    }
  }
}

std::optional<double> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::nullopt;
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<Sample> parse_sample(std::string_view line) {
  Sample sample;
  sample.name = take_until(line, "{ \t");
  skip_blank(line);
  if (line.starts_with('{') && !take_labels(line, sample)) return std::nullopt;
  skip_blank(line);
  const auto value = number_of(take_until(line, kBlank));
  if (!value || sample.name.empty()) return std::nullopt;
  sample.value = *value;
  skip_blank(line);
  if (line.empty() || line.starts_with('#')) return sample;  // an exemplar
  sample.timestamp = number_of(take_until(line, kBlank));
  if (!sample.timestamp) return std::nullopt;
  return sample;
}

void parse_comment(std::string_view line, MetricsText& out) {
  line.remove_prefix(1);
  skip_blank(line);
  if (take_until(line, kBlank) != "TYPE") return;
  skip_blank(line);
  std::string name;
  if (line.starts_with('"')) {
    if (!take_quoted(line, name)) return;
  } else {
    name = take_until(line, kBlank);
  }
  skip_blank(line);
  out.types.insert_or_assign(std::move(name), std::string(take_until(line, kBlank)));
}

}  // namespace

std::optional<std::string_view> Sample::label(std::string_view label_name) const {
  for (const auto& [key, text] : labels) {
    if (key == label_name) return text;
  }
  return std::nullopt;
}

bool Sample::matches(const Labels& wanted) const {
  return std::ranges::all_of(wanted,
                             [this](const auto& pair) { return label(pair.first) == pair.second; });
}

std::optional<double> MetricsText::value(std::string_view name, const Labels& wanted) const {
  for (const Sample& sample : samples) {
    if (sample.name == name && sample.matches(wanted)) return sample.value;
  }
  return std::nullopt;
}

std::optional<double> MetricsText::sum(std::string_view name, const Labels& wanted) const {
  std::optional<double> total;
  for (const Sample& sample : samples) {
    if (sample.name == name && sample.matches(wanted)) total = total.value_or(0) + sample.value;
  }
  return total;
}

MetricsText parse_metrics(std::string_view text) {
  MetricsText out;
  while (!text.empty()) {
    std::string_view line = take_until(text, "\n");
    if (!text.empty()) text.remove_prefix(1);
    skip_blank(line);
    if (line.empty()) continue;
    if (line.front() == '#') {
      parse_comment(line, out);
    } else if (auto sample = parse_sample(line)) {
      out.samples.push_back(std::move(*sample));
    } else {
      ++out.skipped;
    }
  }
  return out;
}

}  // namespace davit::wire
