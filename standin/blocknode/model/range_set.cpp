#include "standin/blocknode/model/range_set.hpp"

#include <algorithm>

namespace davit::standin {

void RangeSet::add(BlockNumber first, BlockNumber last) {
  auto next = ranges_.upper_bound(first);
  if (next != ranges_.begin()) {
    const auto previous = std::prev(next);
    if (previous->second >= first || previous->second + 1 == first) {
      first = previous->first;
      last = std::max(last, previous->second);
      next = ranges_.erase(previous);
    }
  }
  while (next != ranges_.end() && (next->first <= last || next->first == last + 1)) {
    last = std::max(last, next->second);
    next = ranges_.erase(next);
  }
  ranges_.emplace(first, last);
}

void RangeSet::remove(BlockNumber block) {
  auto it = ranges_.upper_bound(block);
  if (it == ranges_.begin()) return;
  --it;
  const auto [first, last] = *it;
  if (block > last) return;
  ranges_.erase(it);
  if (first < block) ranges_.emplace(first, block - 1);
  if (block < last) ranges_.emplace(block + 1, last);
}

bool RangeSet::contains(BlockNumber block) const { return contains(block, block); }

bool RangeSet::contains(BlockNumber first, BlockNumber last) const {
  auto it = ranges_.upper_bound(first);
  return it != ranges_.begin() && std::prev(it)->second >= last;
}

std::optional<BlockNumber> RangeSet::first() const {
  if (ranges_.empty()) return std::nullopt;
  return ranges_.begin()->first;
}

std::optional<BlockNumber> RangeSet::last() const {
  if (ranges_.empty()) return std::nullopt;
  return ranges_.rbegin()->second;
}

std::uint64_t RangeSet::count() const {
  std::uint64_t sum = 0;
  for (const auto& [first, last] : ranges_) sum += last - first + 1;
  return sum;
}

std::vector<std::pair<BlockNumber, BlockNumber>> RangeSet::ranges() const {
  return {ranges_.begin(), ranges_.end()};
}

}  // namespace davit::standin
