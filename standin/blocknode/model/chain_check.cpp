#include "standin/blocknode/model/chain_check.hpp"

namespace davit::standin {

ChainCheck::ChainCheck(BlockNumber first, std::uint64_t seed)
    : next_(first), trust_(network_trust({seed, 0})) {
  if (first == 0) previous_ = genesis_root();
}

std::string ChainCheck::take(const Block& block, BlockNumber number) {
  if (number != next_) {
    return "expected block " + std::to_string(next_) + ", got " + std::to_string(number);
  }
  const auto root = verify_block(block, number, previous_, trust_);
  if (!root) return "block " + std::to_string(number) + ": " + root.error();
  previous_ = *root;
  ++next_;
  return {};
}

}  // namespace davit::standin
