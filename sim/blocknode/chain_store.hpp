// ChainStore: the blocks of one simulated network, made once and sent to many nodes.
#pragma once

#include <string>
#include <vector>

#include "standin/blocknode/model/chain.hpp"

namespace davit::sim {

class ChainStore {
 public:
  explicit ChainStore(standin::ChainRecipe recipe) : recipe_(recipe) {}

  // A serialized Block, valid and linked to the one before.
  [[nodiscard]] const std::string& block(standin::BlockNumber number);

 private:
  standin::ChainRecipe recipe_;
  standin::Hash last_root_ = standin::genesis_root();
  std::vector<std::string> blocks_;
};

}  // namespace davit::sim
