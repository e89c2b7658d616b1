#include "standin/blocknode/model/recent_store.hpp"

#include "standin/blocknode/model/compression.hpp"

namespace davit::standin {
namespace {

constexpr int kDeletionsPerRound = 1000;

bool is_number(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

RecentStore::RecentStore(ModelContext& context)
    : context_(context),
      root_(context.settings.text("FILES_RECENT_LIVE_ROOT_PATH")),
      layout_{static_cast<int>(context.settings.number("FILES_RECENT_MAX_FILES_PER_DIR")),
              context.settings.text("FILES_RECENT_COMPRESSION") == "ZSTD"},
      retention_(static_cast<std::uint64_t>(
          context.settings.number("FILES_RECENT_BLOCK_RETENTION_THRESHOLD"))) {}

VolumeResult<void> RecentStore::init() {
  if (auto made = context_.volume.make_directories(root_ + "/links"); !made) return made;
  clear_directory(context_.volume, root_ + "/links");
  walk(root_);
  publish_gauges();
  return {};
}

void RecentStore::walk(const std::string& directory) {
  const auto entries = context_.volume.list(directory);
  if (!entries) return;
  for (const Volume::Entry& entry : *entries) {
    if (entry.is_directory) {
      if (is_number(entry.name)) walk(directory + "/" + entry.name);
    } else if (const auto block = block_of_file(entry.name)) {
      blocks_.add(*block);
      bytes_ += entry.size;
    }
  }
}

VolumeResult<void> RecentStore::write(BlockNumber block, std::string_view serialized) {
  const std::string path = file(block);
  const std::string packed =
      layout_.compressed ? compress_zstd(serialized) : std::string(serialized);
  auto done = context_.volume.make_directories(parent(path));
  if (done) {
    const auto& limit = context_.faults.full_disk_bytes;
    if (limit && bytes_ + packed.size() > *limit) {
      (void)context_.volume.write(path, {});  // what a full disk leaves behind
      done = std::unexpected(std::errc::no_space_on_device);
    } else {
      done = context_.volume.write(path, packed);
    }
  }
  if (!done) return done;
  blocks_.add(block);
  bytes_ += packed.size();
  context_.metrics.add(Metric::kFilesRecentBlocksWritten);
  context_.metrics.add(Metric::kFilesRecentPersistenceTimeLatencyNs, 1'000'000);
  publish_gauges();
  return {};
}

std::optional<std::string> RecentStore::read(BlockNumber block) const {
  if (!blocks_.contains(block)) return std::nullopt;
  const auto packed = context_.volume.read(file(block));
  if (!packed) return std::nullopt;
  context_.metrics.add(Metric::kFilesRecentBlocksRead);
  return layout_.compressed ? decompress_zstd(*packed) : std::optional(*packed);
}

void RecentStore::apply_retention() {
  if (retention_ == 0 || blocks_.empty()) return;
  for (int i = 0; i < kDeletionsPerRound; ++i) {
    const BlockNumber oldest = *blocks_.first();
    if (*blocks_.last() - oldest < retention_) break;
    const auto size = context_.volume.size(file(oldest));
    if (!context_.volume.remove(file(oldest))) {
      context_.metrics.add(Metric::kFilesRecentBlocksDeletedFailed);
      break;
    }
    blocks_.remove(oldest);
    bytes_ -= std::min(bytes_, size.value_or(0));
    context_.metrics.add(Metric::kFilesRecentBlocksDeleted);
  }
  publish_gauges();
}

void RecentStore::publish_gauges() {
  context_.metrics.set(Metric::kFilesRecentBlocksStored, blocks_.count());
  context_.metrics.set(Metric::kFilesRecentTotalBytesStored, bytes_);
}

}  // namespace davit::standin
