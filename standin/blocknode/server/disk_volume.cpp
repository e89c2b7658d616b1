#include "standin/blocknode/server/disk_volume.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>

namespace davit::standin {
namespace {

std::unexpected<std::errc> last_error() { return std::unexpected(static_cast<std::errc>(errno)); }

VolumeResult<void> check(int result) {
  if (result == 0) return {};
  return last_error();
}

class File {
 public:
  File(const std::string& path, int flags)
      : descriptor_(open(path.c_str(), flags | O_CLOEXEC, 0644)) {}
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool good() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

  VolumeResult<void> put(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::write(descriptor_, bytes.data(), bytes.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) return last_error();
      bytes.remove_prefix(static_cast<std::size_t>(done));
    }
    return {};
  }

 private:
  int descriptor_;
};

}  // namespace

VolumeResult<void> DiskVolume::make_directories(const std::string& path) {
  if (mkdir(path.c_str(), 0755) == 0) return {};
  if (errno == ENOENT && path.rfind('/') != 0 && path.rfind('/') != std::string::npos) {
    if (auto parent = make_directories(path.substr(0, path.rfind('/'))); !parent) return parent;
    if (mkdir(path.c_str(), 0755) == 0) return {};
  }
  struct stat info{};
  const int why = errno;
  if (why == EEXIST && stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
  return std::unexpected(static_cast<std::errc>(why));
}

VolumeResult<std::vector<Volume::Entry>> DiskVolume::list(const std::string& path) const {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(opendir(path.c_str()), closedir);
  if (!directory) return last_error();
  std::vector<Entry> out;
  while (const dirent* item = readdir(directory.get())) {
    const std::string name = item->d_name;
    struct stat info{};
    if (name == "." || name == "..") continue;
    if (fstatat(dirfd(directory.get()), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    out.push_back({name, S_ISDIR(info.st_mode), static_cast<std::uint64_t>(info.st_size)});
  }
  std::ranges::sort(out, {}, &Entry::name);
  return out;
}

VolumeResult<std::uint64_t> DiskVolume::size(const std::string& path) const {
  struct stat info{};
  if (stat(path.c_str(), &info) != 0) return last_error();
  return static_cast<std::uint64_t>(info.st_size);
}

VolumeResult<std::string> DiskVolume::read(const std::string& path) const {
  return read_at(path, 0, std::numeric_limits<std::uint64_t>::max());
}

VolumeResult<std::string> DiskVolume::read_at(const std::string& path, std::uint64_t offset,
                                              std::uint64_t length) const {
  const File file(path, O_RDONLY);
  struct stat info{};
  if (!file.good() || fstat(file.descriptor(), &info) != 0) return last_error();
  const auto size = static_cast<std::uint64_t>(info.st_size);
  if (offset > size) return std::unexpected(std::errc::invalid_argument);
  std::string out(std::min(length, size - offset), '\0');
  std::size_t got = 0;
  while (got < out.size()) {
    const ssize_t more = pread(file.descriptor(), out.data() + got, out.size() - got,
                               static_cast<off_t>(offset + got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return last_error();
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  out.resize(got);
  return out;
}

VolumeResult<void> DiskVolume::write(const std::string& path, std::string_view bytes) {
  const File file(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (!file.good()) return last_error();
  auto done = file.put(bytes);
  // Some file systems take a part before they are full; the real server leaves an empty file.
  if (!done) (void)ftruncate(file.descriptor(), 0);
  return done;
}

VolumeResult<void> DiskVolume::append(const std::string& path, std::string_view bytes) {
  const File file(path, O_WRONLY | O_CREAT | O_APPEND);
  if (!file.good()) return last_error();
  return file.put(bytes);
}

VolumeResult<void> DiskVolume::link(const std::string& from, const std::string& to) {
  return check(::link(from.c_str(), to.c_str()));
}

VolumeResult<void> DiskVolume::rename(const std::string& from, const std::string& to) {
  return check(::rename(from.c_str(), to.c_str()));
}

VolumeResult<void> DiskVolume::remove(const std::string& path) {
  return check(::remove(path.c_str()));
}

}  // namespace davit::standin
