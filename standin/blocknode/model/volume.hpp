// The file system as the model sees it: a handful of whole-file operations on absolute paths.
//
// Two implementations: MemoryVolume (tests, simulator) and DiskVolume (server). No operation
// throws; each fails with the errno it met. `write` that runs out of space leaves a zero-byte file
// behind, as the real server was seen to do (facts/blocknode.md section 14).
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace davit::standin {

template <typename T>
using VolumeResult = std::expected<T, std::errc>;

class Volume {
 public:
  struct Entry {
    std::string name;
    bool is_directory = false;
    std::uint64_t size = 0;
  };

  virtual ~Volume() = default;

  virtual VolumeResult<void> make_directories(const std::string& path) = 0;
  // Sorted by name.
  virtual VolumeResult<std::vector<Entry>> list(const std::string& path) const = 0;
  virtual VolumeResult<std::uint64_t> size(const std::string& path) const = 0;
  virtual VolumeResult<std::string> read(const std::string& path) const = 0;
  virtual VolumeResult<std::string> read_at(const std::string& path, std::uint64_t offset,
                                            std::uint64_t length) const = 0;
  virtual VolumeResult<void> write(const std::string& path, std::string_view bytes) = 0;
  virtual VolumeResult<void> append(const std::string& path, std::string_view bytes) = 0;
  virtual VolumeResult<void> link(const std::string& from, const std::string& to) = 0;
  virtual VolumeResult<void> rename(const std::string& from, const std::string& to) = 0;
  // A file or an empty directory.
  virtual VolumeResult<void> remove(const std::string& path) = 0;
};

// Empties a directory tree and keeps the directory itself. What cannot be removed stays.
void clear_directory(Volume& volume, const std::string& path);

}  // namespace davit::standin
