#include "standin/blocknode/model/settings.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "standin/blocknode/model/settings_table.hpp"

namespace davit::standin {
namespace {

constexpr std::string_view kDefaultBaseDir = "/opt/hiero/block-node";

std::string value_of(const Environment& environment, std::string_view key,
                     std::string_view fallback) {
  const auto found = environment.find(key);
  return found == environment.end() ? std::string(fallback) : found->second;
}

// Numbers may carry underscores: "10_000".
std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != '_'; });
  std::int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

bool is_word(std::string_view words, std::string_view word) {
  std::istringstream list{std::string(words)};
  for (std::string allowed; std::getline(list, allowed, ',');) {
    if (allowed == word) return true;
  }
  return false;
}

bool acceptable(const SettingRow& row, const std::string& value) {
  switch (row.type) {
    case SettingType::kInt:
    case SettingType::kLong: {
      if (value.empty() && (row.flags & kOptional) != 0) return true;
      const auto number = parse_integer(value);
      if (!number) return false;
      if (row.type == SettingType::kInt && (*number < std::numeric_limits<std::int32_t>::min() ||
                                            *number > std::numeric_limits<std::int32_t>::max())) {
        return false;
      }
      if ((row.flags & kPowerOfTwo) != 0) return *number > 0 && (*number & (*number - 1)) == 0;
      // A dedicated port is checked when it is bound, not here.
      if ((row.flags & kOptional) != 0) return true;
      return *number >= row.min && *number <= row.max;
    }
    case SettingType::kDouble: {
      char* stop = nullptr;
      std::strtod(value.c_str(), &stop);
      return !value.empty() && *stop == '\0';
    }
    case SettingType::kEnum:
      return is_word(row.words, value);
    case SettingType::kBool:  // anything but "true" reads as false
    case SettingType::kString:
    case SettingType::kPath:
      return true;
  }
  return true;
}

// "-Dname=value" and "-Xmx…" words of the Java options; everything else is ignored.
std::map<std::string, std::string, std::less<>> java_properties(const Environment& environment) {
  std::map<std::string, std::string, std::less<>> out;
  for (const char* variable : {"JAVA_TOOL_OPTIONS", "JAVA_OPTS"}) {
    std::istringstream words(value_of(environment, variable, ""));
    for (std::string word; words >> word;) {
      if (word.starts_with("-Xmx")) out["-Xmx"] = word.substr(4);
      if (!word.starts_with("-D")) continue;
      const auto equals = word.find('=');
      if (equals != std::string::npos) out[word.substr(2, equals - 2)] = word.substr(equals + 1);
    }
  }
  return out;
}

}  // namespace

Settings Settings::read(const Environment& environment) {
  Settings out;
  out.version_ = Version::parse(value_of(environment, "VERSION", "0.40.1"));
  out.base_dir_ = value_of(environment, "BN_WORKDIR", kDefaultBaseDir);
  const auto properties = java_properties(environment);
  if (const auto port = properties.find("metrics.exporter.openmetrics.http.port");
      port != properties.end()) {
    out.metrics_port_ = static_cast<std::uint16_t>(parse_integer(port->second).value_or(16007));
  }
  if (const auto heap = properties.find("-Xmx"); heap != properties.end()) {
    out.max_heap_ = heap->second;
  }
  for (const SettingRow& row : setting_rows()) {
    if (!out.version_.at_least(row.since)) continue;
    std::string value(row.default_value);
    if (value.starts_with(kDefaultBaseDir)) {
      value = out.base_dir_ + value.substr(kDefaultBaseDir.size());
    }
    if (const auto set = environment.find(row.env); set != environment.end()) value = set->second;
    if (const auto set = properties.find(row.property); set != properties.end()) {
      value = set->second;
    }
    if (!acceptable(row, value)) ++out.violations_;
    out.values_.emplace(row.env, std::move(value));
  }
  return out;
}

std::optional<std::int64_t> Settings::number_if_set(std::string_view env) const {
  const auto found = values_.find(env);
  return found == values_.end() ? std::nullopt : parse_integer(found->second);
}

std::string Settings::text(std::string_view env) const {
  const auto found = values_.find(env);
  return found == values_.end() ? std::string() : found->second;
}

std::vector<std::string> Settings::log_lines() const {
  std::vector<std::string> out;
  for (const SettingRow& row : setting_rows()) {
    const auto found = values_.find(row.env);
    if (found == values_.end()) continue;
    const bool hide = (row.flags & kSecret) != 0 && !found->second.empty();
    out.push_back(std::string(row.property) + " = " + (hide ? "********" : found->second));
  }
  if (!max_heap_.empty()) out.push_back("-Xmx = " + max_heap_);
  return out;
}

}  // namespace davit::standin
