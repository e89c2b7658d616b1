// The mark on a volume: which node, network and role its data belongs to.
//
// Q: What accident does it prevent? A: A claim bound to the wrong volume, or to a new empty one,
// starts a
//    server that looks healthy on somebody else's blocks, or that has silently lost its own.
// Q: When is a volume marked? A: At the first start on it, when no data volume of the pod is marked
// yet. Q: What if one data volume is marked and another is not? A: The unmarked one was replaced or
// emptied:
//    the start is refused and nothing is touched.
//
// File: `.davit-volume.json` in the root of the volume, written with rename and fsync.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace davit::blocknode::start {

struct Identity {
  std::string node;     // "namespace/name"
  std::string network;  // "mainnet"
  std::string role;     // "live"
  friend bool operator==(const Identity&, const Identity&) = default;
};

struct Volume {
  std::string role;
  std::filesystem::path path;
};

// live, historic, application-state: the ones whose loss loses data.
[[nodiscard]] bool is_data_role(std::string_view role);

// nullopt: no mark. kInvalid: there is one that cannot be read.
[[nodiscard]] Result<std::optional<Identity>> read_identity(const std::filesystem::path& volume);
[[nodiscard]] Status write_identity(const std::filesystem::path& volume, const Identity& identity);

// Checks all volumes, then marks those that need it. A failure has reason VolumeIdentityMismatch or
// VolumeNotWritable and a sentence that says what to do; then no volume was changed.
[[nodiscard]] Status claim_volumes(const std::vector<Volume>& volumes, const std::string& node,
                                   const std::string& network);

}  // namespace davit::blocknode::start
