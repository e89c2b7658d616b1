#include "operands/blocknode/start/quarantine.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>

#include "operands/blocknode/start/zstd_frame.hpp"

namespace davit::blocknode::start {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kQuarantine = ".davit-quarantine";
constexpr std::string_view kVerified = ".davit-verified";

bool is_broken(const fs::path& file) {
  const Wholeness wholeness = check_zstd_file(file);
  if (wholeness == Wholeness::kEmpty) return true;
  return file.extension() == ".zstd" &&
         (wholeness == Wholeness::kCut || wholeness == Wholeness::kNotZstd);
}

std::optional<std::uint64_t> read_verified(const fs::path& root) {
  std::ifstream in(root / kVerified);
  std::uint64_t number = 0;
  if (in >> number) return number;
  return std::nullopt;
}

void write_verified(const fs::path& root, std::uint64_t number) {
  std::ofstream out(root / kVerified, std::ios::trunc);
  out << number << '\n';
}

// The block files above `verified`, by number.
Result<std::vector<std::pair<std::uint64_t, fs::path>>> new_files(
    const fs::path& root, std::optional<std::uint64_t> verified) {
  std::vector<std::pair<std::uint64_t, fs::path>> files;
  std::error_code error;
  auto walk =
      fs::recursive_directory_iterator(root, fs::directory_options::skip_permission_denied, error);
  for (; !error && walk != fs::recursive_directory_iterator(); walk.increment(error)) {
    const fs::path name = walk->path().filename();
    if (walk->is_directory(error)) {
      // The server's own work folders and ours hold no block of record.
      if (name == kQuarantine || name == "links" || name == "zipwork" || name == "lost+found") {
        walk.disable_recursion_pending();
      }
      continue;
    }
    const auto number = block_number(walk->path());
    if (number && (!verified || *number > *verified)) files.emplace_back(*number, walk->path());
  }
  if (error) {
    return fail(Code::kUnavailable, root.string() + " cannot be listed: " + error.message());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace

std::optional<std::uint64_t> block_number(const fs::path& file) {
  const std::string name = file.filename().string();
  if (name.size() < 23 || (!name.ends_with(".blk") && !name.ends_with(".blk.zstd"))) {
    return std::nullopt;
  }
  std::uint64_t number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + 19, number);
  if (failure != std::errc{} || end != name.data() + 19 || name[19] != '.') return std::nullopt;
  return number;
}

Result<QuarantineResult> quarantine_broken_blocks(const fs::path& volume, const fs::path& root) {
  QuarantineResult result;
  std::error_code error;
  if (!fs::is_directory(root, error)) return result;
  const auto files = new_files(root, read_verified(root));
  if (!files) return fail(files.error());
  std::optional<std::uint64_t> newest_whole;
  for (const auto& [number, file] : *files) {
    ++result.checked;
    if (!is_broken(file)) {
      newest_whole = number;
      continue;
    }
    const fs::path relative = fs::relative(file, volume, error);
    const fs::path target = volume / kQuarantine / relative;
    fs::create_directories(target.parent_path(), error);
    fs::rename(file, target, error);
    if (error) {
      return fail(Code::kUnavailable, "cannot move " + file.string() + " to " + target.string() +
                                          ": " + error.message());
    }
    result.moved.push_back(relative.string());
  }
  if (newest_whole) write_verified(root, *newest_whole);
  return result;
}

}  // namespace davit::blocknode::start
