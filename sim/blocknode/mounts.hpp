// Mounts: the file system of one container: disks at their mount paths, over an image that is
// read-only (readOnlyRootFilesystem) and, but for them, empty.
//
// A value that shares its disks. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/blocknode/disk.hpp"

namespace davit::sim {

struct Mount {
  std::string path;      // "/opt/hiero/block-node/data/live", no slash at the end
  std::string sub_path;  // below the disk's root, "" or "/a/b"
  bool read_only = false;
  std::shared_ptr<Disk> disk;
};

class Mounts final : public standin::Volume {
 public:
  void add(Mount mount);
  // The disk that holds `path`; null: the image.
  [[nodiscard]] Disk* disk_of(const std::string& path) const;

  standin::VolumeResult<void> make_directories(const std::string& path) override;
  standin::VolumeResult<std::vector<Entry>> list(const std::string& path) const override;
  standin::VolumeResult<std::uint64_t> size(const std::string& path) const override;
  standin::VolumeResult<std::string> read(const std::string& path) const override;
  standin::VolumeResult<std::string> read_at(const std::string& path, std::uint64_t offset,
                                             std::uint64_t length) const override;
  standin::VolumeResult<void> write(const std::string& path, std::string_view bytes) override;
  standin::VolumeResult<void> append(const std::string& path, std::string_view bytes) override;
  standin::VolumeResult<void> link(const std::string& from, const std::string& to) override;
  standin::VolumeResult<void> rename(const std::string& from, const std::string& to) override;
  standin::VolumeResult<void> remove(const std::string& path) override;

 private:
  struct Place {
    const Mount* mount = nullptr;  // null: the image
    std::string path;              // on the disk
    [[nodiscard]] bool can_write() const { return mount != nullptr && !mount->read_only; }
    [[nodiscard]] standin::MemoryVolume& files() const { return mount->disk->files(); }
  };
  [[nodiscard]] Place find(const std::string& path) const;

  std::vector<Mount> mounts_;  // a deeper path before the one it lies in
};

}  // namespace davit::sim
