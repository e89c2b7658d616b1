#include "standin/blocknode/tools/block_source.hpp"

namespace davit::standin {
namespace {

constexpr std::size_t kRemembered = 4096;

}  // namespace

Block BlockSource::block(BlockNumber number) {
  Block out = make_block(recipe_, number, root_before(number));
  remember(number, block_root(out));
  return out;
}

Hash BlockSource::root_before(BlockNumber number) {
  if (number == 0) return genesis_root();
  if (const auto known = roots_.find(number - 1); known != roots_.end()) return known->second;
  if (access_) {
    const auto found = get_block(access_, number - 1);
    if (found && found->status() == org::hiero::block::api::BlockResponse::SUCCESS &&
        !found->block().items().empty()) {
      const Hash root = block_root(found->block());
      remember(number - 1, root);
      return root;
    }
  }
  // From the newest root known below, or from the very first block.
  const auto above = roots_.lower_bound(number - 1);
  BlockNumber at = 0;
  Hash root = genesis_root();
  if (above != roots_.begin()) {
    at = std::prev(above)->first + 1;
    root = std::prev(above)->second;
  }
  for (; at < number; ++at) {
    root = block_root(make_block(recipe_, at, root));
    remember(at, root);
  }
  return root;
}

void BlockSource::remember(BlockNumber number, const Hash& root) {
  roots_[number] = root;
  while (roots_.size() > kRemembered) {
    roots_.erase(number > roots_.begin()->first ? roots_.begin() : std::prev(roots_.end()));
  }
}

}  // namespace davit::standin
