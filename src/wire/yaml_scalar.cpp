#include "wire/yaml_scalar.hpp"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <string>

namespace davit::wire {

namespace {

bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// [-+]? then 0x, 0b, 0o, 0 (octal) or decimal digits, as far as 64 bits hold.
std::optional<json::value> integer_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
  } else if (text.starts_with("0o") || text.starts_with("0O")) {
    base = 8;
  }
  if (base != 10) {
    text.remove_prefix(2);
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
    text.remove_prefix(1);
  }
  std::uint64_t magnitude = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, magnitude, base);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (magnitude < kSign) {
    const auto value = static_cast<std::int64_t>(magnitude);
    return json::value(negative ? -value : value);
  }
  if (!negative) return json::value(magnitude);
  if (magnitude == kSign) return json::value(static_cast<std::int64_t>(magnitude));
  return std::nullopt;
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
bool looks_like_float(std::string_view text) {
  const auto digits = [&text] {
    std::size_t count = 0;
    for (; !text.empty() && is_digit(text.front()); ++count) text.remove_prefix(1);
    return count;
  };
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = digits();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (digits() == 0 && whole == 0) return false;
  } else if (whole == 0) {
    return false;
  }
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    if (digits() == 0) return false;
  }
  return text.empty();
}

std::optional<json::value> float_of(std::string_view text) {
  if (!looks_like_float(text)) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return json::value(value);
}

}  // namespace

std::optional<json::value> resolve_plain_scalar(std::string_view text) {
  if (one_of(text, {"", "~", "null", "Null", "NULL"})) return json::value(nullptr);
  if (one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "y", "Y"})) {
    return json::value(true);
  }
  if (one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF", "n", "N"})) {
    return json::value(false);
  }
  std::string_view unsigned_text = text;
  if (text.starts_with('-') || text.starts_with('+')) unsigned_text.remove_prefix(1);
  if (one_of(unsigned_text, {".inf", ".Inf", ".INF"}) || one_of(text, {".nan", ".NaN", ".NAN"})) {
    return std::nullopt;
  }
  if (!unsigned_text.empty() && (is_digit(unsigned_text.front()) || unsigned_text.front() == '.')) {
    std::string plain(text);
    std::erase(plain, '_');
    if (auto number = integer_of(plain)) return number;
    if (auto number = float_of(plain)) return number;
  }
  return json::value(text);
}

}  // namespace davit::wire
