#include "standin/blocknode/model/faults.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace davit::standin {
namespace {

constexpr std::string_view kOff = "off";

bool flag(std::string_view value) { return value != kOff && value != "0" && value != "false"; }

std::optional<std::int64_t> amount(std::string_view value) {
  if (value == kOff) return 0;
  std::int64_t out = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), out);
  if (error != std::errc{} || stop != value.data() + value.size() || out < 0) return std::nullopt;
  return out;
}

bool set_amount(std::int64_t& target, std::string_view value) {
  const auto parsed = amount(value);
  if (parsed) target = *parsed;
  return parsed.has_value();
}

// False when the name or the value is not understood.
bool apply(Faults& faults, std::string_view name, std::string_view value) {
  if (name == "crash-on-start") return faults.crash_on_start = flag(value), true;
  if (name == "crash") return faults.crash = flag(value), true;
  if (name == "fatal") return faults.fatal = flag(value), true;
  if (name == "hang-in-scan") return faults.hang_in_scan = flag(value), true;
  if (name == "unhealthy") return faults.unhealthy = flag(value), true;
  if (name == "stall-ingest") return faults.stall_ingest = flag(value), true;
  if (name == "slow-scan-seconds") return set_amount(faults.slow_scan_seconds, value);
  if (name == "unhealthy-after-seconds") return set_amount(faults.unhealthy_after_seconds, value);
  if (name == "slow-metrics-millis") return set_amount(faults.slow_metrics_millis, value);
  if (name == "full-disk-bytes") {
    faults.full_disk_bytes.reset();
    if (value == kOff) return true;
    const auto bytes = value.empty() ? std::optional<std::int64_t>(0) : amount(value);
    if (bytes) faults.full_disk_bytes = static_cast<std::uint64_t>(*bytes);
    return bytes.has_value();
  }
  return false;
}

// STANDIN_SLOW_SCAN_SECONDS -> slow-scan-seconds; empty for variables that are no faults.
std::string fault_name(std::string_view variable) {
  constexpr std::string_view kPrefix = "STANDIN_";
  if (!variable.starts_with(kPrefix)) return {};
  std::string name(variable.substr(kPrefix.size()));
  std::ranges::transform(name, name.begin(), [](char c) {
    return c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  });
  return name;
}

}  // namespace

Faults read_faults(const Environment& environment, std::string_view control_file,
                   std::vector<std::string>& complaints) {
  Faults faults;
  for (const auto& [variable, value] : environment) {
    const std::string name = fault_name(variable);
    // Other STANDIN_ variables steer the program, not the model.
    if (!name.empty() && !value.empty()) (void)apply(faults, name, value);
  }
  std::istringstream lines{std::string(control_file)};
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find('#'));
    std::erase_if(line, [](char c) { return c == ' ' || c == '\t' || c == '\r'; });
    if (line.empty()) continue;
    const auto equals = line.find('=');
    const std::string value = equals == std::string::npos ? "" : line.substr(equals + 1);
    if (!apply(faults, line.substr(0, equals), value)) complaints.push_back(line);
  }
  return faults;
}

}  // namespace davit::standin
