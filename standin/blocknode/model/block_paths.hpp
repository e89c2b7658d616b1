// Where a block lives on disk (facts/blocknode.md sections 7.1, 7.2 and 14). Pure.
//
//   live, staging   82 -> 000/000/000/000/000/0/0000000000000000082.blk.zstd
//   zip, power 1    0..9 -> 000/000/000/000/000/00/00.zip;   power 4: 000/000/000/000/00/00000.zip
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

// Digits per directory level, extension ".blk" or ".blk.zstd".
struct BlockLayout {
  int digits_per_level = 3;
  bool compressed = true;
};

std::string block_file_name(BlockNumber block, const BlockLayout& layout);
// Path below the root, without a leading slash.
std::string block_path(BlockNumber block, const BlockLayout& layout);
// The number in "0000000000000000082.blk.zstd" or "….blk".
std::optional<BlockNumber> block_of_file(std::string_view name);

BlockNumber blocks_per_zip(int power);
// `first` is a multiple of blocks_per_zip(power).
std::string zip_path(BlockNumber first, int power);
// First block of the zip whose path below the root is `path`.
std::optional<BlockNumber> first_block_of_zip(std::string_view path, int power);

}  // namespace davit::standin
