#include "wire/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace davit::wire {

namespace {

__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

constexpr Int128 kNano = 1'000'000'000;
constexpr Int128 kMaxNanos = Int128{std::numeric_limits<std::int64_t>::max()} * kNano;
constexpr auto kTooMuch = static_cast<UInt128>(kMaxNanos) + 1;  // stands for everything above
constexpr std::string_view kBinarySuffixes = "KMGTPE";
constexpr std::string_view kDecimalSuffixes = "num kMGTPE";  // 10^-9, 10^-6, …; ' ' is none

struct Parts {
  bool negative = false;
  std::string_view whole, fraction, suffix;
};

struct Scale {
  Quantity::Form form = Quantity::Form::kDecimal;
  int exponent = 0;  // of 10, or of 1024 in binary form
};

std::string_view take_digits(std::string_view& text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view digits = text.substr(0, end);
  text.remove_prefix(end);
  return digits;
}

std::optional<Parts> split(std::string_view text) {
  Parts parts;
  if (text.starts_with('-') || text.starts_with('+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  parts.whole = take_digits(text);
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    parts.fraction = take_digits(text);
  }
  if (parts.whole.empty() && parts.fraction.empty()) return std::nullopt;
  parts.suffix = text;
  return parts;
}

std::optional<Scale> scale_of(std::string_view suffix) {
  if (suffix.empty()) return Scale{};
  if (suffix.size() == 1 && suffix != " ") {
    const std::size_t at = kDecimalSuffixes.find(suffix.front());
    if (at == std::string_view::npos) return std::nullopt;
    return Scale{Quantity::Form::kDecimal, static_cast<int>(at) * 3 - 9};
  }
  if (suffix.size() == 2 && suffix[1] == 'i') {
    const std::size_t at = kBinarySuffixes.find(suffix.front());
    if (at == std::string_view::npos) return std::nullopt;
    return Scale{Quantity::Form::kBinary, static_cast<int>(at) + 1};
  }
  if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;
  suffix.remove_prefix(1);
  const bool negative = suffix.starts_with('-');
  if (negative || suffix.starts_with('+')) suffix.remove_prefix(1);
  const std::string_view digits = take_digits(suffix);
  if (digits.empty() || !suffix.empty()) return std::nullopt;
  int exponent = 0;
  for (const char c : digits) exponent = std::min(exponent * 10 + (c - '0'), 100'000);
  return Scale{Quantity::Form::kExponent, negative ? -exponent : exponent};
}

UInt128 ceil_divide(UInt128 a, UInt128 b) { return a / b + (a % b == 0 ? 0 : 1); }

// The digits with the point moved `shift` places to the right, rounded up.
UInt128 shifted(std::string_view whole, std::string_view fraction, int shift) {
  const std::int64_t end = static_cast<std::int64_t>(whole.size()) + shift;
  const auto count = static_cast<std::int64_t>(whole.size() + fraction.size());
  const auto digit = [&](std::int64_t i) -> unsigned {
    const auto at = static_cast<std::size_t>(i);
    return static_cast<unsigned>((at < whole.size() ? whole[at] : fraction[at - whole.size()]) -
                                 '0');
  };
  UInt128 number = 0;
  std::int64_t i = 0;
  for (; i < end && i < count; ++i) number = std::min(number * 10 + digit(i), kTooMuch);
  for (; i < end && number != 0 && number < kTooMuch; ++i) number = std::min(number * 10, kTooMuch);
  for (i = std::max<std::int64_t>(end, 0); i < count; ++i) {
    if (digit(i) != 0) return number + 1;
  }
  return number;
}

UInt128 binary_nanos(std::string_view whole, std::string_view fraction, int exponent) {
  const UInt128 unit = UInt128{1} << (10 * exponent);
  const UInt128 count = shifted(whole, {}, 0);
  if (count > static_cast<UInt128>(kMaxNanos / kNano) / unit) return kTooMuch;
  // 20 digits times 2^60 fit; finer ones are rounded up.
  constexpr std::size_t kDigits = 20;
  const auto used = static_cast<int>(std::min(fraction.size(), kDigits));
  UInt128 part = shifted({}, fraction, used) * unit;
  for (int i = used; i < 9; ++i) part *= 10;
  UInt128 divisor = 1;
  for (int i = 9; i < used; ++i) divisor *= 10;
  return count * unit * static_cast<UInt128>(kNano) + ceil_divide(part, divisor);
}

std::int64_t ceil_to_int64(Int128 nanos, Int128 unit) {
  Int128 count = nanos / unit;
  if (nanos % unit != 0) count += nanos > 0 ? 1 : -1;  // away from zero
  return static_cast<std::int64_t>(std::clamp(count,
                                              Int128{std::numeric_limits<std::int64_t>::min()},
                                              Int128{std::numeric_limits<std::int64_t>::max()}));
}

std::string digits_of(Int128 number) { return fmt::format("{}", number); }

}  // namespace

Quantity::Quantity(Int128 nanos, Form form)
    : nanos_(std::clamp(nanos, -kMaxNanos, kMaxNanos)), form_(form) {}

Result<Quantity> Quantity::parse(std::string_view text) {
  const auto parts = split(text);
  const auto scale = parts ? scale_of(parts->suffix) : std::nullopt;
  if (!scale) {
    return fail(Code::kInvalid, "\"" + std::string(text.substr(0, 64)) +
                                    "\" is no quantity (such as 500m, 2, 1.5Gi)");
  }
  const UInt128 nanos = scale->form == Form::kBinary
                            ? binary_nanos(parts->whole, parts->fraction, scale->exponent)
                            : shifted(parts->whole, parts->fraction, scale->exponent + 9);
  const auto magnitude = static_cast<Int128>(std::min(nanos, kTooMuch));
  return Quantity(parts->negative ? -magnitude : magnitude, scale->form);
}

Result<Quantity> Quantity::parse(const json::value& value) {
  if (const json::string* text = value.if_string()) {
    return parse(std::string_view(text->data(), text->size()));
  }
  if (value.is_number()) return parse(canonical(value));
  return fail(Code::kInvalid, "a quantity is a string or a number");
}

Quantity Quantity::bytes(std::int64_t count) { return {Int128{count} * kNano, Form::kBinary}; }
Quantity Quantity::units(std::int64_t count) { return {Int128{count} * kNano, Form::kDecimal}; }
Quantity Quantity::millis(std::int64_t count) {
  return {Int128{count} * (kNano / 1000), Form::kDecimal};
}

std::int64_t Quantity::value() const { return ceil_to_int64(nanos_, kNano); }
std::int64_t Quantity::milli_value() const { return ceil_to_int64(nanos_, kNano / 1000); }

std::string Quantity::to_string() const {
  if (nanos_ == 0) return "0";
  const Int128 magnitude = nanos_ < 0 ? -nanos_ : nanos_;
  // Kubernetes writes binary only from 1024 up and without a fraction.
  if (form_ == Form::kBinary && magnitude >= 1024 * kNano && magnitude % kNano == 0) {
    Int128 count = nanos_ / kNano;
    std::size_t steps = 0;
    for (; count % 1024 == 0 && steps < kBinarySuffixes.size(); ++steps) count /= 1024;
    std::string text = digits_of(count);
    if (steps > 0) text.append({kBinarySuffixes[steps - 1], 'i'});
    return text;
  }
  Int128 count = nanos_;
  std::size_t steps = 0;
  for (; count % 1000 == 0 && steps + 1 < kDecimalSuffixes.size(); ++steps) count /= 1000;
  std::string text = digits_of(count);
  const int exponent = static_cast<int>(steps) * 3 - 9;
  if (form_ == Form::kExponent && exponent != 0) return text + "e" + std::to_string(exponent);
  if (exponent != 0) text += kDecimalSuffixes[steps];
  return text;
}

Quantity Quantity::plus(Quantity other) const { return {nanos_ + other.nanos_, form_}; }
Quantity Quantity::minus(Quantity other) const { return {nanos_ - other.nanos_, form_}; }

bool same_quantity(std::string_view a, std::string_view b) {
  const auto left = Quantity::parse(a);
  const auto right = Quantity::parse(b);
  return left && right && *left == *right;
}

std::string human_bytes(std::int64_t count) {
  constexpr std::array<std::string_view, 7> kUnits = {"B",   "KiB", "MiB", "GiB",
                                                      "TiB", "PiB", "EiB"};
  auto amount = static_cast<double>(count);
  std::size_t unit = 0;
  // 999.5 would be written with four digits.
  for (; (amount >= 999.5 || amount <= -999.5) && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  if (unit == 0) return fmt::format("{} B", count);
  const double magnitude = amount < 0 ? -amount : amount;
  const int decimals = magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", amount, decimals, kUnits[unit]);
}

}  // namespace davit::wire
