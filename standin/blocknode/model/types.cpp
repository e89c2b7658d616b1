#include "standin/blocknode/model/types.hpp"

#include <charconv>
#include <tuple>

namespace davit::standin {

Version Version::parse(std::string_view text) {
  Version version;
  if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    version.pre = text.substr(dash + 1);
    text = text.substr(0, dash);
  }
  for (int* part : {&version.major, &version.minor, &version.patch}) {
    const auto dot = text.find('.');
    const std::string_view digits = text.substr(0, dot);
    std::from_chars(digits.data(), digits.data() + digits.size(), *part);
    if (dot == std::string_view::npos) break;
    text = text.substr(dot + 1);
  }
  return version;
}

std::string Version::text() const {
  std::string out =
      std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
  return pre.empty() ? out : out + "-" + pre;
}

bool Version::at_least(std::string_view other) const {
  const Version that = parse(other);
  return std::tie(major, minor, patch) >= std::tie(that.major, that.minor, that.patch);
}

}  // namespace davit::standin
