#include "sim/names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace davit::sim {

namespace {

bool is_lower_alnum(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
bool is_alnum(char c) { return is_lower_alnum(c) || (c >= 'A' && c <= 'Z'); }

bool is_dns_label(std::string_view name) {
  return !name.empty() && is_lower_alnum(name.front()) && is_lower_alnum(name.back()) &&
         std::ranges::all_of(name, [](char c) { return is_lower_alnum(c) || c == '-'; });
}

bool is_dns_subdomain(std::string_view name) {
  while (true) {
    const std::size_t dot = name.find('.');
    if (!is_dns_label(name.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

bool is_label_text(std::string_view text) {
  return !text.empty() && is_alnum(text.front()) && is_alnum(text.back()) &&
         std::ranges::all_of(
             text, [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

std::string too_long(std::size_t most) {
  return fmt::format("must be no more than {} bytes", most);
}

constexpr std::string_view kSubdomain =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
constexpr std::string_view kLabel =
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and "
    "must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used "
    "for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
constexpr std::string_view kNamePart =
    "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end "
    "with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
constexpr std::string_view kLabelKey =
    "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex "
    "used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS "
    "subdomain prefix and '/' (e.g. 'example.com/MyName')";
constexpr std::string_view kLabelValue =
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or "
    "'12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
constexpr std::string_view kConfigKey =
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', "
    " or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

}  // namespace

std::string dns_label_problem(std::string_view name) {
  if (name.size() > 63) return too_long(63);
  return is_dns_label(name) ? "" : std::string(kLabel);
}

std::string dns_subdomain_problem(std::string_view name) {
  if (name.size() > 253) return too_long(253);
  return is_dns_subdomain(name) ? "" : std::string(kSubdomain);
}

std::string qualified_name_problem(std::string_view name) {
  const std::size_t slash = name.find('/');
  if (slash != std::string_view::npos) {
    if (name.find('/', slash + 1) != std::string_view::npos) return std::string(kLabelKey);
    const std::string_view prefix = name.substr(0, slash);
    if (prefix.empty()) return "prefix part must be non-empty";
    if (std::string problem = dns_subdomain_problem(prefix); !problem.empty()) {
      return "prefix part " + problem;
    }
    name.remove_prefix(slash + 1);
  }
  if (name.empty()) return "name part must be non-empty";
  if (name.size() > 63) return "name part " + too_long(63);
  return is_label_text(name) ? "" : std::string(kNamePart);
}

std::string label_value_problem(std::string_view value) {
  if (value.size() > 63) return too_long(63);
  return value.empty() || is_label_text(value) ? "" : std::string(kLabelValue);
}

std::string config_key_problem(std::string_view key) {
  if (key.size() > 253) return too_long(253);
  if (key == ".") return "must not be '.'";
  if (key == "..") return "must not be '..'";
  const bool fits = !key.empty() && std::ranges::all_of(key, [](char c) {
    return is_alnum(c) || c == '-' || c == '_' || c == '.';
  });
  return fits ? "" : std::string(kConfigKey);
}

std::string path_segment_problem(std::string_view name) {
  if (name == "." || name == "..") return fmt::format("may not be '{}'", name);
  for (const char bad : {'/', '%'}) {
    if (name.find(bad) != std::string_view::npos) return fmt::format("may not contain '{}'", bad);
  }
  return "";
}

}  // namespace davit::sim
