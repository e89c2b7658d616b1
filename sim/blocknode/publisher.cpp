#include "sim/blocknode/publisher.hpp"

namespace davit::sim {

namespace {

using Request = org::hiero::block::api::PublishStreamRequest;
using Response = org::hiero::block::api::PublishStreamResponse;

}  // namespace

const std::string& ChainStore::block(standin::BlockNumber number) {
  while (blocks_.size() <= number) {
    const standin::Block block = standin::make_block(recipe_, blocks_.size(), last_root_);
    last_root_ = standin::block_root(block);
    blocks_.push_back(block.SerializeAsString());
  }
  return blocks_[number];
}

void Publisher::round(Server* server, std::uint64_t run, ChainStore& chain) {
  if (server == nullptr || !server->serves_anywhere(Server::Service::kPublish)) {
    session_.reset();
    return;
  }
  if (!is_connected_to(run)) connect(*server, run);
  for (unsigned i = 0; i < blocks && session_; ++i) send(*server, chain.block(next_));
}

void Publisher::leave(Server* server, std::uint64_t run) {
  if (server != nullptr && is_connected_to(run)) {
    server->model().close_publisher(*session_);
    server->settle();
  }
  session_.reset();
}

void Publisher::connect(Server& server, std::uint64_t run) {
  session_ = server.model().open_publisher();
  run_ = run;
  const auto last = server.model().last_available();
  next_ = last ? *last + 1 : 0;
}

void Publisher::send(Server& server, const std::string& block) {
  const standin::BlockNumber number = next_++;
  highest_ = std::max(highest_.value_or(0), number);
  Request items;
  // A Block and a BlockItemSet are the same on the wire: items in field 1.
  if (!items.mutable_block_items()->ParseFromString(block)) return;
  server.model().publish(*session_, std::move(items), server.time());
  Request end;
  end.mutable_end_of_block()->set_block_number(number);
  server.model().publish(*session_, std::move(end), server.time());
  hear(server.settle());
}

void Publisher::hear(const std::vector<standin::PublishReply>& replies) {
  for (const standin::PublishReply& reply : replies) {
    if (!session_ || reply.session != *session_) continue;
    const Response& message = reply.message;
    switch (message.response_case()) {
      case Response::kEndStream:
        session_.reset();
        break;
      case Response::kResendBlock:
        next_ = message.resend_block().block_number();
        break;
      case Response::kNodeBehindPublisher: {
        const auto last = message.node_behind_publisher().block_number();
        next_ = last == standin::kNone ? 0 : last + 1;
        break;
      }
      default:  // acknowledged, or to be skipped: on to the next
        break;
    }
  }
}

}  // namespace davit::sim
