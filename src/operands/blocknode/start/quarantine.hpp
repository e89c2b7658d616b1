// Moves block files that a kill or a full disk left behind out of the server's sight.
//
// Only single block files (`<19 digits>.blk` or `.blk.zstd`) under the live root and the staging
// folder of the historic root, and only those above the last block that an earlier start found
// whole: a start on a large store looks at what is new. Nothing is deleted: files go to
// `.davit-quarantine/` on their own volume, keeping their relative path.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace davit::blocknode::start {

// The number in a block file's name; nullopt for any other file.
[[nodiscard]] std::optional<std::uint64_t> block_number(const std::filesystem::path& file);

struct QuarantineResult {
  std::vector<std::string> moved;  // paths relative to the root
  std::uint64_t checked = 0;
};

// `volume` holds the quarantine and the memory of what was verified; `root` is below or equal to
// it.
[[nodiscard]] Result<QuarantineResult> quarantine_broken_blocks(const std::filesystem::path& volume,
                                                                const std::filesystem::path& root);

}  // namespace davit::blocknode::start
