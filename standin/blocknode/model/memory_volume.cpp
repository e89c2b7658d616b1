#include "standin/blocknode/model/memory_volume.hpp"

#include <algorithm>
#include <set>

namespace davit::standin {
namespace {

bool below(std::string_view path, std::string_view prefix) {
  return path.starts_with(prefix) && (path.size() == prefix.size() || path[prefix.size()] == '/');
}

std::unexpected<std::errc> fail(std::errc code) { return std::unexpected(code); }

}  // namespace

void MemoryVolume::limit(const std::string& prefix, std::uint64_t bytes) {
  const auto [limit, fresh] = limits_.try_emplace(prefix);
  if (fresh) limit->second.used = count(prefix);
  limit->second.bytes = bytes;
}

void MemoryVolume::set_read_only(const std::string& prefix, bool on) { read_only_[prefix] = on; }

bool MemoryVolume::exists(const std::string& path) const { return nodes_.contains(path); }

std::uint64_t MemoryVolume::used(const std::string& prefix) const {
  const auto known = limits_.find(prefix);
  return known == limits_.end() ? count(prefix) : known->second.used;
}

std::uint64_t MemoryVolume::count(const std::string& prefix) const {
  std::uint64_t sum = 0;
  std::set<const File*> seen;
  for (auto it = nodes_.lower_bound(prefix); it != nodes_.end() && it->first.starts_with(prefix);
       ++it) {
    if (!it->second || !below(it->first, prefix)) continue;
    if (!it->second->names.empty() && !seen.insert(it->second.get()).second) continue;
    sum += it->second->bytes.size();
  }
  return sum;
}

void MemoryVolume::for_each_file(
    const std::function<void(const std::string&, const std::string&)>& visit) const {
  for (const auto& [path, file] : nodes_) {
    if (file) visit(path, file->bytes);
  }
}

VolumeResult<void> MemoryVolume::make_directories(const std::string& path) {
  if (const auto there = nodes_.find(path); there != nodes_.end()) {
    if (there->second) return fail(std::errc::not_a_directory);
    return {};
  }
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  ++changes_;
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
  auto it = nodes_.lower_bound(prefix);
  while (it != nodes_.end() && it->first.starts_with(prefix)) {
    const std::string_view name = std::string_view(it->first).substr(prefix.size());
    if (const auto slash = name.find('/'); slash != std::string_view::npos) {
      // What lies deeper is not looked at: on to the first name after "<directory>/".
      it = nodes_.lower_bound(prefix + std::string(name.substr(0, slash)) + "0");
      continue;
    }
    out.push_back({std::string(name), !it->second, it->second ? it->second->bytes.size() : 0});
    ++it;
  }
  return out;
}

VolumeResult<std::uint64_t> MemoryVolume::size(const std::string& path) const {
  const File* file = find_file(path);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  return file->bytes.size();
}

VolumeResult<std::string> MemoryVolume::read(const std::string& path) const {
  const File* file = find_file(path);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  return file->bytes;
}

VolumeResult<std::string> MemoryVolume::read_at(const std::string& path, std::uint64_t offset,
                                                std::uint64_t length) const {
  const File* file = find_file(path);
  if (file == nullptr) return fail(std::errc::no_such_file_or_directory);
  if (offset > file->bytes.size()) return fail(std::errc::invalid_argument);
  return file->bytes.substr(offset, length);
}

VolumeResult<void> MemoryVolume::write(const std::string& path, std::string_view bytes) {
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  if (!has_parent(path)) return fail(std::errc::no_such_file_or_directory);
  if (const auto there = nodes_.find(path); there != nodes_.end()) {
    if (!there->second) return fail(std::errc::is_a_directory);
    drop_name(path);
  }
  const auto file = std::make_shared<File>();
  const bool room = fits(path, bytes.size());
  if (room) file->bytes = bytes;
  add_name(path, file);
  if (!room) return fail(std::errc::no_space_on_device);
  return {};
}

VolumeResult<void> MemoryVolume::append(const std::string& path, std::string_view bytes) {
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  if (!has_parent(path)) return fail(std::errc::no_such_file_or_directory);
  const auto there = nodes_.find(path);
  if (there == nodes_.end()) {
    add_name(path, std::make_shared<File>());
  } else if (!there->second) {
    return fail(std::errc::is_a_directory);
  }
  if (!fits(path, bytes.size())) return fail(std::errc::no_space_on_device);
  File& file = *nodes_.find(path)->second;
  for (auto& [prefix, limit] : limits_) {
    const auto counts = [&](const std::string& name) { return below(name, prefix); };
    if (counts(path) || std::ranges::any_of(file.names, counts)) limit.used += bytes.size();
  }
  file.bytes.append(bytes);
  ++changes_;
  return {};
}

VolumeResult<void> MemoryVolume::link(const std::string& from, const std::string& to) {
  if (find_file(from) == nullptr) return fail(std::errc::no_such_file_or_directory);
  if (nodes_.contains(to)) return fail(std::errc::file_exists);
  if (!has_parent(to)) return fail(std::errc::no_such_file_or_directory);
  if (read_only(to)) return fail(std::errc::read_only_file_system);
  const Content file = nodes_.find(from)->second;
  if (file->names.empty()) file->names.push_back(from);
  add_name(to, file);
  return {};
}

VolumeResult<void> MemoryVolume::rename(const std::string& from, const std::string& to) {
  if (find_file(from) == nullptr) return fail(std::errc::no_such_file_or_directory);
  if (!has_parent(to)) return fail(std::errc::no_such_file_or_directory);
  if (read_only(to)) return fail(std::errc::read_only_file_system);
  if (from == to) return {};
  if (const auto there = nodes_.find(to); there != nodes_.end()) {
    if (!there->second) return fail(std::errc::is_a_directory);
    drop_name(to);
  }
  const Content file = nodes_.find(from)->second;
  if (file->names.empty()) file->names.push_back(from);
  add_name(to, file);
  drop_name(from);
  return {};
}

VolumeResult<void> MemoryVolume::remove(const std::string& path) {
  const auto found = nodes_.find(path);
  if (found == nodes_.end()) return fail(std::errc::no_such_file_or_directory);
  if (read_only(path)) return fail(std::errc::read_only_file_system);
  if (found->second) {
    drop_name(path);
    return {};
  }
  if (nodes_.lower_bound(path + "/") != nodes_.end() &&
      nodes_.lower_bound(path + "/")->first.starts_with(path + "/")) {
    return fail(std::errc::directory_not_empty);
  }
  ++changes_;
  nodes_.erase(found);
  return {};
}

MemoryVolume::File* MemoryVolume::find_file(const std::string& path) const {
  const auto found = nodes_.find(path);
  return found == nodes_.end() ? nullptr : found->second.get();
}

bool MemoryVolume::has_parent(std::string_view path) const {
  const auto found = nodes_.find(path.substr(0, path.rfind('/')));
  return found != nodes_.end() && !found->second;
}

bool MemoryVolume::read_only(const std::string& path) const {
  return std::ranges::any_of(
      read_only_, [&](const auto& entry) { return entry.second && below(path, entry.first); });
}

bool MemoryVolume::fits(const std::string& path, std::uint64_t more) const {
  return std::ranges::all_of(limits_, [&](const auto& entry) {
    return !below(path, entry.first) || entry.second.used + more <= entry.second.bytes;
  });
}

void MemoryVolume::add_name(const std::string& path, const Content& file) {
  charge(path, *file, true);
  if (!file->names.empty()) file->names.push_back(path);
  nodes_[path] = file;
  ++changes_;
}

void MemoryVolume::drop_name(const std::string& path) {
  const auto found = nodes_.find(path);
  const Content file = found->second;
  nodes_.erase(found);
  std::erase(file->names, path);
  charge(path, *file, false);
  if (file->names.size() == 1) file->names.clear();
  ++changes_;
}

void MemoryVolume::charge(const std::string& path, const File& file, bool add) {
  for (auto& [prefix, limit] : limits_) {
    const auto counts = [&](const std::string& name) { return below(name, prefix); };
    if (!counts(path) || std::ranges::any_of(file.names, counts)) continue;
    limit.used = add ? limit.used + file.bytes.size() : limit.used - file.bytes.size();
  }
}

}  // namespace davit::standin
