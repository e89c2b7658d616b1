#include "wire/duration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace davit::wire {

namespace {

__extension__ using UInt128 = unsigned __int128;

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::pair<std::string_view, std::uint64_t> kUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xc2\xb5s", 1'000},
    {"\xce\xbcs", 1'000},
    {"ms", 1'000'000},
    {"s", kSecond},
    {"m", 60 * kSecond},
    {"h", 3600 * kSecond},
    {"d", 86'400 * kSecond},
};

constexpr std::uint64_t kMax = std::uint64_t{1} << 63;  // one more than fits: only with a minus

std::string_view take_while(std::string_view& text, bool digits) {
  std::size_t end = 0;
  while (end < text.size() && (text[end] >= '0' && text[end] <= '9') == digits &&
         text[end] != '.') {
    ++end;
  }
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(end);
  return taken;
}

// One "12.5h" off the front, in nanoseconds; saturates above kMax.
std::optional<UInt128> take_term(std::string_view& text) {
  const std::string_view whole = take_while(text, true);
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_while(text, true);
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  const std::string_view name = take_while(text, false);
  const auto* unit =
      std::ranges::find(kUnits, name, &std::pair<std::string_view, std::uint64_t>::first);
  if (unit == std::end(kUnits)) return std::nullopt;
  UInt128 count = 0;
  for (const char c : whole) {
    count = std::min<UInt128>(count * 10 + static_cast<unsigned>(c - '0'), kMax + 1);
  }
  UInt128 part = 0;
  UInt128 divisor = 1;
  for (const char c : fraction.substr(0, 18)) {  // finer than a nanosecond of a day
    part = part * 10 + static_cast<unsigned>(c - '0');
    divisor *= 10;
  }
  return count * unit->second + part * unit->second / divisor;
}

std::string trimmed_fraction(std::uint64_t nanos, std::uint64_t unit) {
  std::string text = std::to_string(nanos / unit);
  std::string rest = std::to_string(unit + nanos % unit).substr(1);
  rest.erase(rest.find_last_not_of('0') + 1);
  return rest.empty() ? text : text + "." + rest;
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  const auto invalid = [whole = text] {
    return fail(Code::kInvalid, "\"" + std::string(whole.substr(0, 64)) +
                                    "\" is no duration (such as 90s, 1h30m, 7d)");
  };
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration(0);
  if (text.empty()) return invalid();
  UInt128 total = 0;
  while (!text.empty()) {
    const auto term = take_term(text);
    if (!term) return invalid();
    total += *term;
    if (total > kMax - (negative ? 0U : 1U)) return invalid();
  }
  const auto magnitude = static_cast<std::uint64_t>(total);
  return Duration(static_cast<std::int64_t>(negative ? std::uint64_t{0} - magnitude : magnitude));
}

std::string format_duration(Duration duration) {
  if (duration.count() == 0) return "0s";
  const bool negative = duration.count() < 0;
  const auto raw = static_cast<std::uint64_t>(duration.count());
  const std::uint64_t nanos = negative ? std::uint64_t{0} - raw : raw;
  std::string text = negative ? "-" : "";
  if (nanos < 1'000) return text + std::to_string(nanos) + "ns";
  if (nanos < 1'000'000) return text + trimmed_fraction(nanos, 1'000) + "\xc2\xb5s";
  if (nanos < kSecond) return text + trimmed_fraction(nanos, 1'000'000) + "ms";
  const std::uint64_t minutes = nanos / (60 * kSecond);
  if (minutes >= 60) text += std::to_string(minutes / 60) + "h";
  if (minutes > 0) text += std::to_string(minutes % 60) + "m";
  return text + trimmed_fraction(nanos % (60 * kSecond), kSecond) + "s";
}

std::string human_duration(Duration duration) {
  const std::int64_t seconds =
      std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(duration).count(), 0);
  const std::int64_t minutes = seconds / 60;
  const std::int64_t hours = minutes / 60;
  const std::int64_t days = hours / 24;
  const std::int64_t years = days / 365;
  const auto two = [](std::int64_t a, char unit_a, std::int64_t b, char unit_b) {
    return b == 0 ? fmt::format("{}{}", a, unit_a) : fmt::format("{}{}{}{}", a, unit_a, b, unit_b);
  };
  if (seconds < 120) return fmt::format("{}s", seconds);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (hours < 3) return fmt::format("{}m", minutes);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (years < 2) return fmt::format("{}d", days);
  if (years < 8) return two(years, 'y', days % 365, 'd');
  return fmt::format("{}y", years);
}

}  // namespace davit::wire
