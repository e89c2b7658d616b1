#include "testbed/provisioner/host_volumes.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace davit::testbed {

namespace fs = std::filesystem;

namespace {

Status run(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error =
          ::posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ);
      error != 0) {
    return fail(Code::kUnavailable,
                fmt::format("cannot run {}: {}", command[0], std::strerror(error)));
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string line;
  for (const std::string& word : command) line += word + " ";
  return fail(Code::kUnavailable, fmt::format("{}failed with status {}", line, status));
}

Status set_size(const fs::path& image, std::uint64_t bytes) {
  const int fd = ::open(image.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return fail(Code::kUnavailable, image.string() + ": " + std::strerror(errno));
  const int result = ::ftruncate(fd, static_cast<off_t>(bytes));
  const int error = errno;
  ::close(fd);
  if (result != 0) return fail(Code::kUnavailable, image.string() + ": " + std::strerror(error));
  return {};
}

// ext4 grows while mounted only for holders of CAP_SYS_RESOURCE (capability 24).
bool may_resize() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("CapEff:"))
      return ((std::stoull(line.substr(7), nullptr, 16) >> 24) & 1) != 0;
  }
  return false;
}

}  // namespace

HostVolumes::HostVolumes(fs::path root)
    : root_(std::move(root)), loop_devices_(fs::exists("/dev/loop-control") && may_resize()) {
  fs::create_directories(root_);
}

fs::path HostVolumes::mount_of(const std::string& name) const { return root_ / name; }
fs::path HostVolumes::image_of(const std::string& name) const { return root_ / (name + ".img"); }

bool HostVolumes::is_mounted(const std::string& name) const {
  std::ifstream mounts("/proc/self/mounts");
  const std::string wanted = " " + mount_of(name).string() + " ";
  for (std::string line; std::getline(mounts, line);) {
    if (line.find(wanted) != std::string::npos) return true;
  }
  return false;
}

Status HostVolumes::ensure(const std::string& name, std::uint64_t bytes) {
  if (is_mounted(name)) return {};
  fs::create_directories(mount_of(name));
  if (!loop_devices_) {
    return run({"mount", "-t", "tmpfs", "-o", fmt::format("size={},mode=0777", bytes), "davit",
                mount_of(name)});
  }
  if (!fs::exists(image_of(name))) {
    const fs::path draft = image_of(name).string() + ".new";
    if (Status sized = set_size(draft, bytes); !sized) return sized;
    // No journal and few inodes: small volumes of tests keep their space for data.
    if (Status made = run({"mkfs.ext4", "-q", "-F", "-m", "0", "-O", "^has_journal,resize_inode",
                           "-E", "lazy_itable_init=1", draft});
        !made) {
      return made;
    }
    fs::rename(draft, image_of(name));
  }
  if (Status mounted = run({"mount", "-o", "loop", image_of(name), mount_of(name)}); !mounted) {
    return mounted;
  }
  std::error_code ignored;
  fs::remove(mount_of(name) / "lost+found", ignored);
  fs::permissions(mount_of(name), fs::perms::all, ignored);
  return {};
}

Status HostVolumes::grow(const std::string& name, std::uint64_t bytes) {
  if (!loop_devices_) {
    return run({"mount", "-o", fmt::format("remount,size={}", bytes), mount_of(name)});
  }
  std::error_code error;
  if (fs::file_size(image_of(name), error) < bytes) {
    if (Status sized = set_size(image_of(name), bytes); !sized) return sized;
  }
  // The loop device must learn the new size of its file before the file system can.
  return run({"sh", "-c",
              fmt::format("device=$(findmnt -n -o SOURCE -M '{}' | head -n 1) && "
                          "losetup -c \"$device\" && resize2fs \"$device\" >/dev/null 2>&1",
                          mount_of(name).string())});
}

Status HostVolumes::remove(const std::string& name) {
  if (is_mounted(name)) {
    if (Status gone = run({"umount", mount_of(name)}); !gone) return gone;
  }
  std::error_code error;
  fs::remove(mount_of(name), error);
  fs::remove(image_of(name), error);
  return {};
}

}  // namespace davit::testbed
