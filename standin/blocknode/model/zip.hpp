// Stored (uncompressed) zip files: written entry by entry through a Volume, read by index.
//
// Enough for the historic store: no zip64, so at most 65,535 entries are seen by foreign tools and
// 4 GiB is the limit (powers 5 and 6 of FILES_HISTORIC_POWERS_OF_TEN_… go beyond that).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "standin/blocknode/model/volume.hpp"

namespace davit::standin {

class ZipWriter {
 public:
  ZipWriter(Volume& volume, std::string path) : volume_(volume), path_(std::move(path)) {}

  VolumeResult<void> add(std::string_view name, std::string_view bytes);
  // Writes the directory; nothing can be added afterwards. Gives the size of the file.
  VolumeResult<std::uint64_t> finish();

 private:
  Volume& volume_;
  std::string path_;
  std::string pending_;    // written in pieces of kPieceBytes
  std::string directory_;  // one record per entry
  std::uint32_t offset_ = 0;
  std::uint32_t entries_ = 0;
};

struct ZipEntry {
  std::uint64_t offset;  // of the content
  std::uint64_t size;
};
using ZipIndex = std::map<std::string, ZipEntry, std::less<>>;

// illegal_byte_sequence: not a zip, or a damaged one.
VolumeResult<ZipIndex> read_zip_index(const Volume& volume, const std::string& path);

}  // namespace davit::standin
