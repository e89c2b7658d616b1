// The historic store (plugin blocks-file-historic; facts/blocknode.md sections 7.2 and 14).
//
// Verified blocks wait in staging/ until their whole group of 10^power is there; then a zip is
// built in zipwork/, hard-linked to its final name, and the staged files go. A staged block is not
// readable until it is zipped. Building is cut into slices so that a group of 10,000 does not stop
// the node.
//
// After a start the store claims everything between its lowest and highest zip, holes or not: that
// too is the real server's. Caller: NodeModel, one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "standin/blocknode/model/block_paths.hpp"
#include "standin/blocknode/model/context.hpp"
#include "standin/blocknode/model/range_set.hpp"
#include "standin/blocknode/model/zip.hpp"

namespace davit::standin {

class HistoricStore {
 public:
  explicit HistoricStore(ModelContext& context);

  // Lists zips and staging, empties links/ and zipwork/, moves an unreadable lowest or highest zip
  // to corrupted/. Reads no block.
  VolumeResult<void> init();
  VolumeResult<void> stage(BlockNumber block, std::string_view serialized);
  // Does a slice of pending zip work; true while there is more.
  bool work();
  std::optional<std::string> read(BlockNumber block);

  const RangeSet& blocks() const { return available_; }
  const RangeSet& staged() const { return staged_; }

 private:
  struct ZipJob {
    BlockNumber next;
    BlockNumber end;
    ZipWriter writer;
  };

  std::string staged_file(BlockNumber block) const;
  std::string zip_file(BlockNumber first) const { return root_ + "/" + zip_path(first, power_); }
  void walk_zips(const std::string& directory, const std::string& below);
  void walk_staging(const std::string& directory);
  void quarantine_unreadable(BlockNumber first);
  std::optional<BlockNumber> complete_group() const;
  void finish_job();
  void drop_job(std::errc why);
  void apply_retention();
  void publish_gauges();

  ModelContext& context_;
  std::string root_;
  int power_;
  BlockLayout layout_;
  std::uint64_t retention_;                    // zips, 0 = for ever
  std::map<BlockNumber, std::uint64_t> zips_;  // first block -> bytes
  RangeSet available_;
  RangeSet staged_;
  RangeSet failed_groups_;  // by first block; not tried again before the next start
  std::unique_ptr<ZipJob> job_;
  // Index of the zip read last: a subscriber reads blocks in order.
  BlockNumber cached_zip_ = kNone;
  ZipIndex cached_index_;
};

}  // namespace davit::standin
