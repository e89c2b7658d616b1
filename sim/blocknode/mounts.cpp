#include "sim/blocknode/mounts.hpp"

#include <algorithm>
#include <tuple>

namespace davit::sim {

namespace {

constexpr auto kAbsent = std::errc::no_such_file_or_directory;
constexpr auto kImage = std::errc::read_only_file_system;

}  // namespace

void Mounts::add(Mount mount) {
  if (!mount.sub_path.empty()) (void)mount.disk->files().make_directories(mount.sub_path);
  mounts_.push_back(std::move(mount));
  std::ranges::sort(mounts_, std::greater<>(),
                    [](const Mount& entry) { return std::tie(entry.path); });
}

Mounts::Place Mounts::find(const std::string& path) const {
  for (const Mount& mount : mounts_) {
    const std::size_t length = mount.path.size();
    if (!path.starts_with(mount.path)) continue;
    if (path.size() > length && path[length] != '/') continue;
    return {&mount, mount.sub_path + path.substr(length)};
  }
  return {};
}

Disk* Mounts::disk_of(const std::string& path) const {
  const Place place = find(path);
  return place.mount == nullptr ? nullptr : place.mount->disk.get();
}

standin::VolumeResult<void> Mounts::make_directories(const std::string& path) {
  const Place at = find(path);
  if (at.can_write()) return at.files().make_directories(at.path);
  // One that is there needs no write.
  if (at.mount != nullptr && at.files().list(at.path)) return {};
  return std::unexpected(kImage);
}

standin::VolumeResult<std::vector<standin::Volume::Entry>> Mounts::list(
    const std::string& path) const {
  const Place at = find(path);
  if (at.mount == nullptr) return std::unexpected(kAbsent);
  return at.files().list(at.path);
}

standin::VolumeResult<std::uint64_t> Mounts::size(const std::string& path) const {
  const Place at = find(path);
  if (at.mount == nullptr) return std::unexpected(kAbsent);
  return at.files().size(at.path);
}

standin::VolumeResult<std::string> Mounts::read(const std::string& path) const {
  const Place at = find(path);
  if (at.mount == nullptr) return std::unexpected(kAbsent);
  return at.files().read(at.path);
}

standin::VolumeResult<std::string> Mounts::read_at(const std::string& path, std::uint64_t offset,
                                                   std::uint64_t length) const {
  const Place at = find(path);
  if (at.mount == nullptr) return std::unexpected(kAbsent);
  return at.files().read_at(at.path, offset, length);
}

standin::VolumeResult<void> Mounts::write(const std::string& path, std::string_view bytes) {
  const Place at = find(path);
  if (!at.can_write()) return std::unexpected(kImage);
  return at.files().write(at.path, bytes);
}

standin::VolumeResult<void> Mounts::append(const std::string& path, std::string_view bytes) {
  const Place at = find(path);
  if (!at.can_write()) return std::unexpected(kImage);
  return at.files().append(at.path, bytes);
}

standin::VolumeResult<void> Mounts::link(const std::string& from, const std::string& to) {
  const Place source = find(from);
  const Place target = find(to);
  if (!target.can_write()) return std::unexpected(kImage);
  if (source.mount != target.mount) return std::unexpected(std::errc::cross_device_link);
  return target.files().link(source.path, target.path);
}

standin::VolumeResult<void> Mounts::rename(const std::string& from, const std::string& to) {
  const Place source = find(from);
  const Place target = find(to);
  if (!target.can_write() || !source.can_write()) return std::unexpected(kImage);
  if (source.mount != target.mount) return std::unexpected(std::errc::cross_device_link);
  return target.files().rename(source.path, target.path);
}

standin::VolumeResult<void> Mounts::remove(const std::string& path) {
  const Place at = find(path);
  if (!at.can_write()) return std::unexpected(kImage);
  return at.files().remove(at.path);
}

}  // namespace davit::sim
