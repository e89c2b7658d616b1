// Which setting a wrong name was meant to be.
//
// Names are compared without case, '_' and '.', so that a property is near its variable and
// ENABLE_TLS is ENABLE_T_L_S. The distance counts insertions, deletions, replacements and swaps of
// neighbours.
#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "operands/blocknode/settings.hpp"

namespace davit::blocknode {

namespace {

constexpr std::size_t kLongest = 128;

std::string letters(std::string_view name) {
  std::string out;
  for (const char c : name.substr(0, kLongest)) {
    if (c != '_' && c != '.') {
      out += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
  }
  return out;
}

// Optimal string alignment over three rows.
std::size_t distance(std::string_view a, std::string_view b) {
  std::array<std::array<std::size_t, kLongest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    auto& row = rows[i % 3];
    const auto& above = rows[(i + 2) % 3];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        row[j] = std::min(row[j], rows[(i + 1) % 3][j - 2] + 1);
      }
    }
  }
  return rows[a.size() % 3][b.size()];
}

}  // namespace

std::string nearest_setting(std::string_view wrong) {
  const std::string given = letters(wrong);
  const Setting* best = nullptr;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const Setting& setting : setting_catalogue().settings) {
    std::size_t far = distance(given, letters(setting.env));
    if (!setting.alias.empty()) far = std::min(far, distance(given, letters(setting.alias)));
    if (far < least) {
      least = far;
      best = &setting;
    }
  }
  if (best == nullptr || least > std::max<std::size_t>(2, given.size() / 3)) return {};
  return wrong.find('.') == std::string_view::npos ? best->env : best->property;
}

}  // namespace davit::blocknode
