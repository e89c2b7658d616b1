#include "operands/blocknode/server_version.hpp"

#include <fmt/format.h>

#include <charconv>

namespace davit::blocknode {

std::optional<ServerVersion> ServerVersion::parse(std::string_view text) {
  ServerVersion version;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (std::uint32_t* part : {&version.major, &version.minor, &version.patch}) {
    if (part != &version.major) {
      if (at == end || *at != '.') return std::nullopt;
      ++at;
    }
    const auto parsed = std::from_chars(at, end, *part);
    if (parsed.ec != std::errc{}) return std::nullopt;
    at = parsed.ptr;
  }
  if (at != end && (*at != '-' || at + 1 == end)) return std::nullopt;
  return version;
}

std::string ServerVersion::to_string() const {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace davit::blocknode
