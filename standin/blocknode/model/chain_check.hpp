// ChainCheck: verifies blocks of a stand-in's chain one after another: no hole, every link, every
// proof. Pure.
#pragma once

#include "standin/blocknode/model/chain.hpp"

namespace davit::standin {

class ChainCheck {
 public:
  ChainCheck(BlockNumber first, std::uint64_t seed);

  // What is wrong with the next block; empty: nothing.
  std::string take(const Block& block, BlockNumber number);
  BlockNumber next() const { return next_; }

 private:
  BlockNumber next_;
  TssData trust_;
  std::optional<Hash> previous_;
};

}  // namespace davit::standin
