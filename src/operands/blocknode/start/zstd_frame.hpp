// Is a zstd file whole? Walks the frame's block headers without decompressing (RFC 8878 §3.1).
//
// A server that was killed while writing leaves a file that is empty or ends inside a frame; the
// next start of the server would count it as stored (blocknode.md §14).
#pragma once

#include <filesystem>

namespace davit::blocknode::start {

enum class Wholeness {
  kWhole,
  kEmpty,       // no byte
  kCut,         // ends inside a frame
  kNotZstd,     // does not begin with the magic number: not ours to judge
  kUnreadable,  // the file system refused
};

[[nodiscard]] Wholeness check_zstd_file(const std::filesystem::path& file);

}  // namespace davit::blocknode::start
