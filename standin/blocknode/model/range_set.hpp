// A set of block numbers kept as disjoint ranges: 100,000 consecutive blocks cost one entry.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

class RangeSet {
 public:
  // Both ends included; first <= last.
  void add(BlockNumber first, BlockNumber last);
  void add(BlockNumber block) { add(block, block); }
  void remove(BlockNumber block);

  bool contains(BlockNumber block) const;
  bool contains(BlockNumber first, BlockNumber last) const;
  bool empty() const { return ranges_.empty(); }
  std::optional<BlockNumber> first() const;
  std::optional<BlockNumber> last() const;
  std::uint64_t count() const;
  std::vector<std::pair<BlockNumber, BlockNumber>> ranges() const;

 private:
  std::map<BlockNumber, BlockNumber> ranges_;  // first -> last
};

}  // namespace davit::standin
