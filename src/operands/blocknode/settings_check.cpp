// What a setting may be, and what is wrong with the given ones.
//
// As the server reads them (blocknode.md §2.1): numbers accept '_', booleans are true and false,
// enums are case-sensitive; a value out of range ends the start, an unknown name is ignored without
// a word.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "operands/blocknode/settings.hpp"

namespace davit::blocknode {

namespace {

constexpr std::string_view kReference = "docs/reference/blocknode-settings.md";
constexpr std::size_t kShown = 64;  // characters of a value in a message

std::string shown(std::string_view value) {
  return value.size() <= kShown ? fmt::format("\"{}\"", value)
                                : fmt::format("\"{}…\"", value.substr(0, kShown));
}

std::string without_separators(std::string_view text) {
  std::string out(text);
  std::erase(out, '_');
  return out;
}

bool is_boolean(std::string_view value) { return value == "true" || value == "false"; }

bool is_number(std::string_view value) {
  const std::string text = without_separators(value);
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc{} && end.ptr == text.data() + text.size() && std::isfinite(number);
}

std::int64_t lowest(const Setting& setting) {
  return setting.min.value_or(setting.type == SettingType::kInt
                                  ? std::numeric_limits<std::int32_t>::min()
                                  : std::numeric_limits<std::int64_t>::min());
}

std::int64_t highest(const Setting& setting) {
  return setting.max.value_or(setting.type == SettingType::kInt
                                  ? std::numeric_limits<std::int32_t>::max()
                                  : std::numeric_limits<std::int64_t>::max());
}

bool is_allowed(const Setting& setting, std::string_view value) {
  switch (setting.type) {
    case SettingType::kInt:
    case SettingType::kLong: {
      const auto number = parse_integer(value);
      if (!number || *number < lowest(setting) || *number > highest(setting)) return false;
      return !setting.power_of_two ||
             (*number > 0 && std::has_single_bit(static_cast<std::uint64_t>(*number)));
    }
    case SettingType::kDouble:
      return is_number(value);
    case SettingType::kBoolean:
      return is_boolean(value);
    case SettingType::kEnum:
      return std::ranges::find(setting.choices, value) != setting.choices.end();
    case SettingType::kPath:
      return value.starts_with('/');
    case SettingType::kString:
      return true;
  }
  return true;
}

Problem unknown_key(const std::string& key) {
  std::string message = "the server has no such setting, and would ignore it without a word. ";
  if (const std::string nearest = nearest_setting(key); !nearest.empty()) {
    message += fmt::format("Did you mean {}? ", nearest);
  }
  message += fmt::format("Correct the name or remove it; {} lists what exists up to version {}",
                         kReference, setting_catalogue().up_to.to_string());
  return {config_field(key), std::move(message)};
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.front() == '_' || text.back() == '_') return std::nullopt;
  const std::string digits = without_separators(text);
  std::int64_t number = 0;
  const auto end = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (end.ec != std::errc{} || end.ptr != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::string allowed_values(const Setting& setting) {
  switch (setting.type) {
    case SettingType::kInt:
    case SettingType::kLong: {
      const std::string_view what = setting.power_of_two ? "a power of two" : "an integer";
      if (!setting.min && !setting.max) return std::string(what);
      if (!setting.max) return fmt::format("{} of at least {}", what, *setting.min);
      return fmt::format("{} from {} to {}", what, lowest(setting), *setting.max);
    }
    case SettingType::kDouble:
      return "a number";
    case SettingType::kBoolean:
      return "true or false";
    case SettingType::kEnum:
      return fmt::format("one of {}", fmt::join(setting.choices, ", "));
    case SettingType::kPath:
      return "an absolute path";
    case SettingType::kString:
      return "text";
  }
  return "text";
}

std::optional<std::string> value_problem(const Setting& setting, std::string_view value) {
  if (is_allowed(setting, value)) return std::nullopt;
  std::string hint = setting.default_value.empty()
                         ? std::string{}
                         : fmt::format("; the server's default is {}", setting.default_value);
  return fmt::format("{} is not allowed; it must be {}{}", shown(value), allowed_values(setting),
                     hint);
}

std::vector<Problem> check_settings(const std::map<std::string, std::string>& extra_config,
                                    std::string_view version) {
  std::vector<Problem> problems;
  std::map<std::string, std::string> seen;  // variable → key
  const auto target = ServerVersion::parse(version);
  for (const auto& [key, value] : extra_config) {
    const std::string env = environment_name(key);
    if (const auto [other, first] = seen.emplace(env, key); !first) {
      problems.push_back(
          {config_field(key), fmt::format("is the same setting as {}; keep one of the two",
                                          config_field(other->second))});
      continue;
    }
    if (env == "VERSION" || env == "JAVA_OPTS" || env == "JAVA_TOOL_OPTIONS") continue;
    const Setting* setting = find_setting(key);
    if (setting == nullptr) {
      problems.push_back(unknown_key(key));
      continue;
    }
    if (setting->secret) {
      problems.push_back(
          {config_field(key),
           "is a secret, and whoever may read this object or the ConfigMap made from it would see "
           "it. Remove it here and replace the credential if it was real; this version of Davit "
           "cannot hand secrets to the server, so leave the cloud storage plugin off"});
      continue;
    }
    if (target && *target < setting->since) {
      problems.push_back(
          {config_field(key),
           fmt::format("exists since version {}, but spec.version is {}: the server would ignore "
                       "it. Remove it, or raise spec.version",
                       setting->since.to_string(), version)});
    }
    if (auto wrong = value_problem(*setting, value)) {
      problems.push_back({config_field(key), std::move(*wrong)});
    }
  }
  return problems;
}

}  // namespace davit::blocknode
