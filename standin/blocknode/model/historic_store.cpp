#include "standin/blocknode/model/historic_store.hpp"

#include <array>

#include "standin/blocknode/model/compression.hpp"

namespace davit::standin {
namespace {

constexpr int kFilesPerSlice = 500;
constexpr const char* kSource = "org.hiero.block.node.blocks.files.historic.ZipBlockArchive";

bool is_number(std::string_view name) {
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string parent(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

HistoricStore::HistoricStore(ModelContext& context)
    : context_(context),
      root_(context.settings.text("FILES_HISTORIC_ROOT_PATH")),
      power_(static_cast<int>(
          context.settings.number("FILES_HISTORIC_POWERS_OF_TEN_PER_ZIP_FILE_CONTENTS"))),
      layout_{static_cast<int>(context.settings.number("FILES_HISTORIC_MAX_FILES_PER_DIR")),
              context.settings.text("FILES_HISTORIC_COMPRESSION") == "ZSTD"},
      retention_(static_cast<std::uint64_t>(
          context.settings.number("FILES_HISTORIC_BLOCK_RETENTION_THRESHOLD"))) {}

VolumeResult<void> HistoricStore::init() {
  for (const char* name : {"/staging", "/zipwork", "/links"}) {
    if (auto made = context_.volume.make_directories(root_ + name); !made) return made;
  }
  clear_directory(context_.volume, root_ + "/zipwork");
  clear_directory(context_.volume, root_ + "/links");
  walk_zips(root_, "");
  if (!zips_.empty()) quarantine_unreadable(zips_.begin()->first);
  if (!zips_.empty()) quarantine_unreadable(zips_.rbegin()->first);
  if (!zips_.empty()) {
    available_.add(zips_.begin()->first, zips_.rbegin()->first + blocks_per_zip(power_) - 1);
  }
  walk_staging(root_ + "/staging");
  publish_gauges();
  return {};
}

VolumeResult<void> HistoricStore::stage(BlockNumber block, std::string_view serialized) {
  const std::string path = staged_file(block);
  if (auto made = context_.volume.make_directories(parent(path)); !made) return made;
  const auto done = context_.volume.write(
      path, layout_.compressed ? compress_zstd(serialized) : std::string(serialized));
  if (done) staged_.add(block);
  return done;
}

bool HistoricStore::work() {
  if (!job_) {
    const auto first = complete_group();
    if (!first) return false;
    const std::string path = root_ + "/zipwork/" + std::to_string(*first) + ".zip";
    (void)context_.volume.remove(path);
    job_ = std::make_unique<ZipJob>(*first, *first + blocks_per_zip(power_),
                                    ZipWriter(context_.volume, path));
  }
  for (int i = 0; i < kFilesPerSlice && job_->next < job_->end; ++i, ++job_->next) {
    const auto bytes = context_.volume.read(staged_file(job_->next));
    const auto added = bytes ? job_->writer.add(block_file_name(job_->next, layout_), *bytes)
                             : std::unexpected(bytes.error());
    if (!added) {
      drop_job(added.error());
      return true;
    }
  }
  if (job_->next == job_->end) finish_job();
  return true;
}

void HistoricStore::finish_job() {
  const BlockNumber first = job_->end - blocks_per_zip(power_);
  const std::string work = root_ + "/zipwork/" + std::to_string(first) + ".zip";
  const std::string path = zip_file(first);
  const auto size = job_->writer.finish();
  auto linked = size ? context_.volume.make_directories(parent(path))
                     : VolumeResult<void>(std::unexpected(size.error()));
  if (linked) linked = context_.volume.link(work, path);
  if (!linked) {
    drop_job(linked.error());
    return;
  }
  (void)context_.volume.remove(work);
  zips_[first] = *size;
  available_.add(first, job_->end - 1);
  for (BlockNumber block = first; block < job_->end; ++block) {
    (void)context_.volume.remove(staged_file(block));
    staged_.remove(block);
  }
  context_.outputs.info(kSource, "Moved blocks [" + std::to_string(first) + " -> " +
                                     std::to_string(job_->end - 1) + "] to zip file");
  context_.metrics.add(Metric::kFilesHistoricBlocksWritten,
                       static_cast<std::int64_t>(blocks_per_zip(power_)));
  job_.reset();
  apply_retention();
  publish_gauges();
}

void HistoricStore::drop_job(std::errc why) {
  const BlockNumber first = job_->end - blocks_per_zip(power_);
  (void)context_.volume.remove(root_ + "/zipwork/" + std::to_string(first) + ".zip");
  failed_groups_.add(first);
  context_.outputs.warning(kSource, "Failed to move blocks starting at " + std::to_string(first) +
                                        " to zip file: " + std::make_error_code(why).message());
  job_.reset();
}

std::optional<std::string> HistoricStore::read(BlockNumber block) {
  if (!available_.contains(block)) return std::nullopt;
  const BlockNumber first = block - block % blocks_per_zip(power_);
  if (cached_zip_ != first) {
    auto index = read_zip_index(context_.volume, zip_file(first));
    if (!index) return std::nullopt;
    cached_zip_ = first;
    cached_index_ = std::move(*index);
  }
  const auto entry = cached_index_.find(block_file_name(block, layout_));
  if (entry == cached_index_.end()) return std::nullopt;
  const auto bytes =
      context_.volume.read_at(zip_file(first), entry->second.offset, entry->second.size);
  if (!bytes || bytes->size() != entry->second.size) return std::nullopt;
  context_.metrics.add(Metric::kFilesHistoricBlocksRead);
  return layout_.compressed ? decompress_zstd(*bytes) : std::optional(*bytes);
}

std::string HistoricStore::staged_file(BlockNumber block) const {
  return root_ + "/staging/" + block_path(block, layout_);
}

void HistoricStore::walk_zips(const std::string& directory, const std::string& below) {
  const auto entries = context_.volume.list(directory);
  if (!entries) return;
  for (const Volume::Entry& entry : *entries) {
    if (entry.is_directory && is_number(entry.name)) {
      walk_zips(directory + "/" + entry.name, below + entry.name + "/");
    } else if (const auto first = first_block_of_zip(below + entry.name, power_)) {
      zips_[*first] = entry.size;
    }
  }
}

void HistoricStore::walk_staging(const std::string& directory) {
  const auto entries = context_.volume.list(directory);
  if (!entries) return;
  for (const Volume::Entry& entry : *entries) {
    const std::string path = directory + "/" + entry.name;
    if (entry.is_directory) {
      walk_staging(path);
    } else if (const auto block = block_of_file(entry.name)) {
      // A crash between the link and the clean-up leaves staged files of a finished group.
      if (available_.contains(*block)) {
        (void)context_.volume.remove(path);
      } else {
        staged_.add(*block);
      }
    }
  }
}

void HistoricStore::quarantine_unreadable(BlockNumber first) {
  if (read_zip_index(context_.volume, zip_file(first))) return;
  (void)context_.volume.make_directories(root_ + "/corrupted");
  std::string name = zip_path(first, power_);
  for (char& c : name) c = c == '/' ? '_' : c;
  (void)context_.volume.rename(zip_file(first), root_ + "/corrupted/" + name);
  zips_.erase(first);
  context_.outputs.warning(kSource, "Moved unreadable zip file " + name + " to corrupted");
}

std::optional<BlockNumber> HistoricStore::complete_group() const {
  const BlockNumber size = blocks_per_zip(power_);
  for (const auto& [low, high] : staged_.ranges()) {
    const BlockNumber up = (low + size - 1) / size * size;
    for (BlockNumber first = up; first + size - 1 <= high; first += size) {
      if (!failed_groups_.contains(first)) return first;
    }
  }
  return std::nullopt;
}

void HistoricStore::apply_retention() {
  while (retention_ > 0 && zips_.size() > retention_) {
    const BlockNumber first = zips_.begin()->first;
    if (!context_.volume.remove(zip_file(first))) {
      context_.metrics.add(Metric::kFilesHistoricZipsDeletedFailed);
      return;
    }
    zips_.erase(zips_.begin());
    for (BlockNumber block = first; block < first + blocks_per_zip(power_); ++block) {
      available_.remove(block);
    }
  }
}

void HistoricStore::publish_gauges() {
  std::uint64_t bytes = 0;
  for (const auto& [first, size] : zips_) bytes += size;
  context_.metrics.set(Metric::kFilesHistoricBlocksStored, zips_.size() * blocks_per_zip(power_));
  context_.metrics.set(Metric::kFilesHistoricTotalBytesStored, bytes);
}

}  // namespace davit::standin
