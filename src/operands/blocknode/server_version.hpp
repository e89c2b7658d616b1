// A version of the Block Node server, as far as order matters: three numbers. A pre-release counts
// as the release it leads to (its settings are already those). A value; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace davit::blocknode {

struct ServerVersion {
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint32_t patch = 0;

  // Of "0.40.1" and "0.41.0-rc1"; nullopt: not a version.
  [[nodiscard]] static std::optional<ServerVersion> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
  friend auto operator<=>(const ServerVersion&, const ServerVersion&) = default;
};

}  // namespace davit::blocknode
