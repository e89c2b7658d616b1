// A Volume in memory for tests and the simulator. Not thread safe.
//
//   MemoryVolume volume;
//   volume.limit("/data/live", 4096);   // full from there on, as a small claim would be
//
// Hard links share their bytes, as on a disk. A limit counts the bytes of files below its prefix.
#pragma once

#include <map>
#include <memory>

#include "standin/blocknode/model/volume.hpp"

namespace davit::standin {

class MemoryVolume final : public Volume {
 public:
  void limit(const std::string& prefix, std::uint64_t bytes) { limits_[prefix] = bytes; }
  void unlimit(const std::string& prefix) { limits_.erase(prefix); }
  // Every change below this path fails with EROFS, as on a claim that came up read-only.
  void set_read_only(const std::string& prefix, bool on);
  bool exists(const std::string& path) const;
  std::uint64_t used(const std::string& prefix) const;

  VolumeResult<void> make_directories(const std::string& path) override;
  VolumeResult<std::vector<Entry>> list(const std::string& path) const override;
  VolumeResult<std::uint64_t> size(const std::string& path) const override;
  VolumeResult<std::string> read(const std::string& path) const override;
  VolumeResult<std::string> read_at(const std::string& path, std::uint64_t offset,
                                    std::uint64_t length) const override;
  VolumeResult<void> write(const std::string& path, std::string_view bytes) override;
  VolumeResult<void> append(const std::string& path, std::string_view bytes) override;
  VolumeResult<void> link(const std::string& from, const std::string& to) override;
  VolumeResult<void> rename(const std::string& from, const std::string& to) override;
  VolumeResult<void> remove(const std::string& path) override;

 private:
  using Content = std::shared_ptr<std::string>;  // null: a directory

  const Content* find_file(const std::string& path) const;
  bool has_parent(const std::string& path) const;
  bool read_only(const std::string& path) const;
  bool fits(const std::string& path, std::uint64_t more) const;

  std::map<std::string, Content> nodes_;
  std::map<std::string, std::uint64_t> limits_;
  std::map<std::string, bool> read_only_;
};

}  // namespace davit::standin
