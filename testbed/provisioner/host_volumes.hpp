// HostVolumes: file systems of a real size on this host, one image file and one mount each.
//
// ext4 in a sparse file on a loop device; where the machine has no loop devices, tmpfs with a size
// limit. Layout below the root: `<name>.img` and the mount `<name>/`. Every call runs short
// programs (mkfs.ext4, mount, resize2fs) and waits for them: for tests, not for an operator with
// users.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace davit::testbed {

class HostVolumes {
 public:
  explicit HostVolumes(std::filesystem::path root);

  [[nodiscard]] std::filesystem::path mount_of(const std::string& name) const;
  // Makes and mounts the volume; one that exists is mounted again if it is not.
  [[nodiscard]] Status ensure(const std::string& name, std::uint64_t bytes);
  // Grows the file system while it is in use. Never shrinks.
  [[nodiscard]] Status grow(const std::string& name, std::uint64_t bytes);
  // Unmounts and deletes. An absent volume is fine.
  [[nodiscard]] Status remove(const std::string& name);

 private:
  [[nodiscard]] std::filesystem::path image_of(const std::string& name) const;
  [[nodiscard]] bool is_mounted(const std::string& name) const;

  std::filesystem::path root_;
  bool loop_devices_;
};

}  // namespace davit::testbed
