// The publisher's chain: block N for any N, with the right previous root in front of it.
//
// A block's content is a pure function of (seed, N, size, previous root). The previous root is, in
// this order: remembered from the last few thousand blocks; computed from the node's own block N-1
// (getBlock), so a publisher continues whatever chain the node has; recomputed from block 0 with
// the same seed and size. Two publishers with equal seed and size make equal chains. One thread.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "standin/blocknode/model/chain.hpp"
#include "standin/blocknode/tools/node_client.hpp"

namespace davit::standin {

class BlockSource {
 public:
  // `access` may be null: then blocks are never asked of the node.
  BlockSource(const ChainRecipe& recipe, std::shared_ptr<grpc::Channel> access)
      : recipe_(recipe), access_(std::move(access)) {}

  Block block(BlockNumber number);

 private:
  Hash root_before(BlockNumber number);
  void remember(BlockNumber number, const Hash& root);

  ChainRecipe recipe_;
  std::shared_ptr<grpc::Channel> access_;
  std::map<BlockNumber, Hash> roots_;
};

}  // namespace davit::standin
