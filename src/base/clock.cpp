#include "base/clock.hpp"

#include <fmt/format.h>

namespace davit {

Monotonic SystemClock::now() const { return {std::chrono::steady_clock::now().time_since_epoch()}; }

WallTime SystemClock::wall() const {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

namespace {

std::string format_seconds(WallTime time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::seconds>(time - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace

std::string format_time(WallTime time) { return format_seconds(time) + "Z"; }

std::string format_micro_time(WallTime time) {
  const auto micros = (time - std::chrono::floor<std::chrono::seconds>(time)).count();
  return fmt::format("{}.{:06}Z", format_seconds(time), micros);
}

}  // namespace davit
