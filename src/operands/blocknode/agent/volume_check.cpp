#include "operands/blocknode/agent/volume_check.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace davit::blocknode {

namespace {

constexpr std::string_view kTestFile = ".davit-write-test";

// errno of the first step that failed; 0 when the volume took the write.
int try_write(const std::filesystem::path& file) {
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (fd < 0) return errno;
  std::array<char, 4096> page{};
  int error = 0;
  const ssize_t written = ::write(fd, page.data(), page.size());
  if (written < 0) {
    error = errno;
  } else if (written < static_cast<ssize_t>(page.size())) {
    error = ENOSPC;
  }
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  ::close(fd);
  ::unlink(file.c_str());
  return error;
}

}  // namespace

VolumeReport check_volume(const MountedVolume& volume) {
  VolumeReport report{.role = volume.role};
  struct statvfs space{};
  if (::statvfs(volume.path.c_str(), &space) != 0) {
    report.error = std::strerror(errno);
    return report;
  }
  report.total_bytes = space.f_blocks * space.f_frsize;
  report.available_bytes = space.f_bavail * space.f_frsize;
  const int error = try_write(volume.path / kTestFile);
  report.writable = error == 0;
  if (error != 0) report.error = std::strerror(error);
  return report;
}

}  // namespace davit::blocknode
