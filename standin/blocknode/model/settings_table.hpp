// The table of every setting of the server. Data only; reading the environment is settings.hpp.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace davit::standin {

enum class SettingType { kInt, kLong, kDouble, kBool, kString, kPath, kEnum };

inline constexpr std::int64_t kNoMin = std::numeric_limits<std::int64_t>::min();
inline constexpr std::int64_t kNoMax = std::numeric_limits<std::int64_t>::max();

inline constexpr unsigned kSecret = 1;    // value never reaches a log
inline constexpr unsigned kOptional = 2;  // unset by default; its range is checked when it is used
inline constexpr unsigned kPowerOfTwo = 4;  // must be a positive power of two

struct SettingRow {
  std::string_view env;
  std::string_view property;
  SettingType type;
  std::string_view default_value;
  std::int64_t min;
  std::int64_t max;
  std::string_view words;  // allowed values of an enum, comma separated
  unsigned flags;
  std::string_view since;
  std::string_view plugin;
};

std::span<const SettingRow> setting_rows();

}  // namespace davit::standin
