// The live files (plugin blocks-file-recent; facts/blocknode.md sections 7.1 and 14).
//
// One file per block, written straight to its final name. The index is built from directory
// listings at start, so a zero-byte file left by a full disk counts as stored after a restart: that
// lie is the real server's. Caller: NodeModel, one thread at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "standin/blocknode/model/block_paths.hpp"
#include "standin/blocknode/model/context.hpp"
#include "standin/blocknode/model/range_set.hpp"

namespace davit::standin {

class RecentStore {
 public:
  explicit RecentStore(ModelContext& context);

  // Walks the tree, empties links/. Fails when the root cannot be used.
  VolumeResult<void> init();
  VolumeResult<void> write(BlockNumber block, std::string_view serialized);
  // Serialized block; nullopt when missing or damaged.
  std::optional<std::string> read(BlockNumber block) const;
  // Deletes what is beyond FILES_RECENT_BLOCK_RETENTION_THRESHOLD, at most 1,000 files.
  void apply_retention();

  const RangeSet& blocks() const { return blocks_; }

 private:
  std::string file(BlockNumber block) const { return root_ + "/" + block_path(block, layout_); }
  void walk(const std::string& directory);
  void publish_gauges();

  ModelContext& context_;
  std::string root_;
  BlockLayout layout_;
  std::uint64_t retention_;
  RangeSet blocks_;
  std::uint64_t bytes_ = 0;
};

}  // namespace davit::standin
