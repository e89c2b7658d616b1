#include "standin/blocknode/model/memory_volume.hpp"

namespace davit::standin {
namespace {

bool below(const std::string& path, const std::string& prefix) {
  return path == prefix || path.starts_with(prefix + "/");
}

std::unexpected<std::errc> fail(std::errc code) { return std::unexpected(code); }

}  // namespace

void MemoryVolume::set_read_only(const std::string& prefix, bool on) { read_only_[prefix] = on; }

bool MemoryVolume::exists(const std::string& path) const { return nodes_.contains(path); }

std::uint64_t MemoryVolume::used(const std::string& prefix) const {
  std::uint64_t sum = 0;
  std::map<const std::string*, bool> seen;
  for (auto it = nodes_.lower_bound(prefix); it != nodes_.end() && it->first.starts_with(prefix);
       ++it) {
    if (it->second && below(it->first, prefix) && seen.emplace(it->second.get(), true).second) {
      sum += it->second->size();
    }
  }
  return sum;
}

VolumeResult<void> MemoryVolume::make_directories(const std::string& path) {
  if (nodes_.contains(path)) {
    if (nodes_.at(path)) return fail(std::errc::not_a_directory);
    return {};
  }
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  for (std::size_t at = path.find('/', 1);; at = path.find('/', at + 1)) {
    const Content& node = nodes_[path.substr(0, at)];
    if (node) return fail(std::errc::not_a_directory);
    if (at == std::string::npos) return {};
  }
}

VolumeResult<std::vector<Volume::Entry>> MemoryVolume::list(const std::string& path) const {
  const auto found = nodes_.find(path);
  if (found == nodes_.end()) return fail(std::errc::no_such_file_or_directory);
  if (found->second) return fail(std::errc::not_a_directory);
  std::vector<Entry> out;
  const std::string prefix = path + "/";
  for (auto it = nodes_.lower_bound(prefix); it != nodes_.end() && it->first.starts_with(prefix);
       ++it) {
    const std::string name = it->first.substr(prefix.size());
    if (name.find('/') != std::string::npos) continue;
    out.push_back({name, !it->second, it->second ? it->second->size() : 0});
  }
  return out;
}

VolumeResult<std::uint64_t> MemoryVolume::size(const std::string& path) const {
  const Content* file = find_file(path);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  return (*file)->size();
}

VolumeResult<std::string> MemoryVolume::read(const std::string& path) const {
  const Content* file = find_file(path);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  return **file;
}

VolumeResult<std::string> MemoryVolume::read_at(const std::string& path, std::uint64_t offset,
                                                std::uint64_t length) const {
  const Content* file = find_file(path);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  if (offset > (*file)->size()) return fail(std::errc::invalid_argument);
  return (*file)->substr(offset, length);
}

VolumeResult<void> MemoryVolume::write(const std::string& path, std::string_view bytes) {
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  if (!has_parent(path)) return fail(std::errc::no_such_file_or_directory);
  if (nodes_.contains(path) && !nodes_.at(path)) return fail(std::errc::is_a_directory);
  nodes_[path] = std::make_shared<std::string>();
  if (!fits(path, bytes.size())) return fail(std::errc::no_space_on_device);
  nodes_[path] = std::make_shared<std::string>(bytes);
  return {};
}

VolumeResult<void> MemoryVolume::append(const std::string& path, std::string_view bytes) {
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  if (!has_parent(path)) return fail(std::errc::no_such_file_or_directory);
  Content& file = nodes_[path];
  if (!file) file = std::make_shared<std::string>();
  if (!fits(path, bytes.size())) return fail(std::errc::no_space_on_device);
  file->append(bytes);
  return {};
}

VolumeResult<void> MemoryVolume::link(const std::string& from, const std::string& to) {
  const Content* file = find_file(from);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  if (nodes_.contains(to)) return fail(std::errc::file_exists);
  if (!has_parent(to)) return fail(std::errc::no_such_file_or_directory);
  if (read_only(to)) return fail(std::errc::read_only_file_system);
  nodes_[to] = *file;
  return {};
}

VolumeResult<void> MemoryVolume::rename(const std::string& from, const std::string& to) {
  const Content* file = find_file(from);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  if (!has_parent(to)) return fail(std::errc::no_such_file_or_directory);
  if (read_only(to)) return fail(std::errc::read_only_file_system);
  const Content content = *file;
  nodes_[to] = content;
  nodes_.erase(from);
  return {};
}

VolumeResult<void> MemoryVolume::remove(const std::string& path) {
  const auto found = nodes_.find(path);
  if (found == nodes_.end()) return fail(std::errc::no_such_file_or_directory);
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  if (!found->second) {
    const auto next = std::next(found);
    if (next != nodes_.end() && next->first.starts_with(path + "/")) {
      return fail(std::errc::directory_not_empty);
    }
  }
  nodes_.erase(found);
  return {};
}

const MemoryVolume::Content* MemoryVolume::find_file(const std::string& path) const {
  const auto found = nodes_.find(path);
  return found == nodes_.end() || !found->second ? nullptr : &found->second;
}

bool MemoryVolume::has_parent(const std::string& path) const {
  const auto found = nodes_.find(path.substr(0, path.rfind('/')));
  return found != nodes_.end() && !found->second;
}

bool MemoryVolume::read_only(const std::string& path) const {
  for (const auto& [prefix, on] : read_only_) {
    if (on && below(path, prefix)) return true;
  }
  return false;
}

bool MemoryVolume::fits(const std::string& path, std::uint64_t more) const {
  for (const auto& [prefix, bytes] : limits_) {
    if (below(path, prefix) && used(prefix) + more > bytes) return false;
  }
  return true;
}

}  // namespace davit::standin
