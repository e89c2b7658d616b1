#include "wire/time.hpp"

#include <optional>
#include <string>

namespace davit::wire {

namespace {

// Reads fixed-width numbers and separators off the front; remembers the first failure.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  int number(std::size_t width) {
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
      if (rest_.empty() || rest_.front() < '0' || rest_.front() > '9') {
        good_ = false;
        return 0;
      }
      value = value * 10 + (take() - '0');
    }
    return value;
  }
  int number_within(std::size_t width, int low, int high) {
    const int value = number(width);
    if (value < low || value > high) good_ = false;
    return value;
  }
  void expect(std::string_view choices) {
    if (rest_.empty() || choices.find(rest_.front()) == std::string_view::npos) {
      good_ = false;
    } else {
      take();
    }
  }
  // Microseconds of ".123456789", rounded down.
  int fraction() {
    if (!rest_.starts_with('.')) return 0;
    take();
    int micros = number(1) * 100'000;
    for (int unit = 10'000; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9';
         unit /= 10) {
      micros += (take() - '0') * unit;
    }
    return micros;
  }
  [[nodiscard]] bool starts_with(char c) const { return rest_.starts_with(c); }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] bool done() const { return good_ && rest_.empty(); }

 private:
  char take() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace

Result<WallTime> parse_time(std::string_view text) {
  using std::chrono::hours;
  using std::chrono::microseconds;
  using std::chrono::minutes;
  using std::chrono::seconds;
  Cursor at(text);
  const int year = at.number(4);
  at.expect("-");
  const int month = at.number_within(2, 1, 12);
  at.expect("-");
  const int day = at.number_within(2, 1, 31);
  at.expect("Tt");
  const int hour = at.number_within(2, 0, 23);
  at.expect(":");
  const int minute = at.number_within(2, 0, 59);
  at.expect(":");
  const int second = at.number_within(2, 0, 60);
  const int micros = at.fraction();
  minutes offset{0};
  if (at.starts_with('+') || at.starts_with('-')) {
    const int sign = at.starts_with('-') ? -1 : 1;
    at.expect("+-");
    offset = hours(at.number_within(2, 0, 23));
    at.expect(":");
    offset = sign * (offset + minutes(at.number_within(2, 0, 59)));
  } else {
    at.expect("Zz");
  }
  const std::chrono::year_month_day date(std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!at.done() || !date.ok()) {
    return fail(Code::kInvalid, "\"" + std::string(text.substr(0, 40)) + "\" is no RFC 3339 time");
  }
  return WallTime(std::chrono::sys_days(date)) + hours(hour) + minutes(minute) + seconds(second) +
         microseconds(micros) - offset;
}

}  // namespace davit::wire
