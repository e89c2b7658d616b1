// A Volume in memory for tests and the simulator. Not thread safe.
//
//   MemoryVolume volume;
//   volume.limit("/data/live", 4096);   // full from there on, as a small claim would be
//
// Hard links share their bytes, as on a disk. A limit counts the bytes of files below its prefix;
// counting is kept up to date by every change, so a write costs the same however full the disk is.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "standin/blocknode/model/volume.hpp"

namespace davit::standin {

class MemoryVolume final : public Volume {
 public:
  void limit(const std::string& prefix, std::uint64_t bytes);
  void unlimit(const std::string& prefix) { limits_.erase(prefix); }
  // Every change below this path fails with EROFS, as on a claim that came up read-only.
  void set_read_only(const std::string& prefix, bool on);
  bool exists(const std::string& path) const;
  // At once for a prefix that has a limit.
  std::uint64_t used(const std::string& prefix) const;
  // Goes up with every change of a file or name.
  std::uint64_t changes() const { return changes_; }
  // Every file with its bytes, in the order of paths.
  void for_each_file(
      const std::function<void(const std::string& path, const std::string& bytes)>& visit) const;

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
  struct File {
    std::string bytes;
    std::vector<std::string> names;  // empty: the one it is stored under
  };
  using Content = std::shared_ptr<File>;  // null: a directory
  struct Limit {
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
  };

  File* find_file(const std::string& path) const;
  bool has_parent(std::string_view path) const;
  bool read_only(const std::string& path) const;
  bool fits(const std::string& path, std::uint64_t more) const;
  std::uint64_t count(const std::string& prefix) const;
  // `path` becomes a name of `file`, or stops being one.
  void add_name(const std::string& path, const Content& file);
  void drop_name(const std::string& path);
  // For each limit that `path` counts for and no other name of `file` does.
  void charge(const std::string& path, const File& file, bool add);

  std::map<std::string, Content, std::less<>> nodes_;
  std::map<std::string, Limit> limits_;
  std::map<std::string, bool> read_only_;
  std::uint64_t changes_ = 0;
};

}  // namespace davit::standin
