// Subscription: what one subscriber of a NodeModel is sent, in order. Pure.
//
//   Subscription subscription(request);
//   while (!subscription.is_over()) {
//     auto messages = subscription.next(model);  // empty: again when there are more blocks
//   }
#pragma once

#include <vector>

#include "standin/blocknode/model/node_model.hpp"

namespace davit::standin {

class Subscription {
 public:
  using Response = org::hiero::block::api::SubscribeStreamResponse;

  explicit Subscription(const org::hiero::block::api::SubscribeStreamRequest& request)
      : next_(request.start_block_number()), end_(request.end_block_number()) {}

  // The messages of one block, or the status that ends the stream. Empty: nothing before there are
  // more blocks.
  std::vector<Response> next(NodeModel& model);
  bool is_over() const { return over_; }

 private:
  std::vector<Response> status(Response::Code code);
  static std::vector<Response> messages(Block block, BlockNumber number, std::size_t chunk_bytes);

  BlockNumber next_;
  BlockNumber end_;
  bool begun_ = false;
  bool over_ = false;
};

}  // namespace davit::standin
