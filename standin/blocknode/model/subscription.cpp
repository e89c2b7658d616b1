#include "standin/blocknode/model/subscription.hpp"

namespace davit::standin {

std::vector<Subscription::Response> Subscription::next(NodeModel& model) {
  if (over_) return {};
  const auto last = model.last_available();
  if (!std::exchange(begun_, true)) {
    if (const auto refused = model.refuse_subscription(next_, end_)) return status(*refused);
    if (next_ == kNone) next_ = last ? *last + 1 : 0;
  }
  if (end_ != kNone && next_ > end_) return status(Response::SUCCESS);
  if (!last || next_ > *last) return {};
  auto block = model.read_block(next_);
  if (!block) return status(Response::NOT_AVAILABLE);
  return messages(
      std::move(*block), next_++,
      static_cast<std::size_t>(model.settings().number("SUBSCRIBER_MAX_CHUNK_SIZE_BYTES")));
}

std::vector<Subscription::Response> Subscription::status(Response::Code code) {
  over_ = true;
  std::vector<Response> out(1);
  out.front().set_status(code);
  return out;
}

std::vector<Subscription::Response> Subscription::messages(Block block, BlockNumber number,
                                                           std::size_t chunk_bytes) {
  std::vector<Response> out;
  std::size_t bytes = 0;
  Response chunk;
  for (BlockItem& item : *block.mutable_items()) {
    const std::size_t size = item.ByteSizeLong();
    if (bytes > 0 && bytes + size > chunk_bytes) {
      out.push_back(std::exchange(chunk, Response()));
      bytes = 0;
    }
    bytes += size;
    *chunk.mutable_block_items()->add_block_items() = std::move(item);
  }
  if (chunk.has_block_items()) out.push_back(std::move(chunk));
  out.emplace_back().mutable_end_of_block()->set_block_number(number);
  return out;
}

}  // namespace davit::standin
