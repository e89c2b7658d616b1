#include "standin/blocknode/server/subscribe_service.hpp"

#include <deque>

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using Response = api::SubscribeStreamResponse;

// One subscriber's stream: one block in memory at a time; parked while there is no further block.
class SubscribeStream final : public grpc::ServerWriteReactor<Response>, public BlockWaiter {
 public:
  SubscribeStream(NodeHost& host, const api::SubscribeStreamRequest& request)
      : host_(host), next_(request.start_block_number()), end_(request.end_block_number()) {}

  void begin(std::shared_ptr<SubscribeStream> self) {
    self_ = std::move(self);
    host_.add_waiter(self_);
    const std::lock_guard lock(mutex_);
    const auto refused = host_.with([&](NodeModel& model) {
      chunk_bytes_ =
          static_cast<std::size_t>(model.settings().number("SUBSCRIBER_MAX_CHUNK_SIZE_BYTES"));
      const auto code = model.refuse_subscription(next_, end_);
      if (!code && next_ == kNone) {
        const auto last = model.last_available();
        next_ = last ? *last + 1 : 0;
      }
      return code;
    });
    if (refused) put_status(*refused);
    advance();
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    queue_.pop_front();
    if (!ok) {
      queue_.clear();
      ending_ = true;
    }
    advance();
  }

  void OnCancel() override {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    if (!writing_) queue_.clear();
    advance();
  }

  void OnDone() override {
    host_.remove_waiter(self_);
    self_.reset();
  }

  void blocks_available() override {
    const std::lock_guard lock(mutex_);
    advance();
  }

 private:
  // With mutex_. Takes the host's mutex inside; the host never calls us with it held.
  void advance() {
    if (writing_ || finished_) return;
    if (queue_.empty() && !ending_) fetch();
    if (!queue_.empty()) {
      writing_ = true;
      StartWrite(&queue_.front());
    } else if (ending_) {
      finished_ = true;
      Finish(grpc::Status::OK);
    }
  }

  void fetch() {
    if (end_ != kNone && next_ > end_) return put_status(Response::SUCCESS);
    bool reached_end = false;
    auto block = host_.with([&](NodeModel& model) -> std::optional<Block> {
      const auto last = model.last_available();
      reached_end = !last || next_ > *last;
      return reached_end ? std::nullopt : model.read_block(next_);
    });
    if (reached_end) return;  // parked until blocks_available
    if (!block) return put_status(Response::NOT_AVAILABLE);
    std::size_t bytes = 0;
    Response chunk;
    for (BlockItem& item : *block->mutable_items()) {
      const std::size_t size = item.ByteSizeLong();
      if (bytes > 0 && bytes + size > chunk_bytes_) {
        queue_.push_back(std::exchange(chunk, Response()));
        bytes = 0;
      }
      bytes += size;
      *chunk.mutable_block_items()->add_block_items() = std::move(item);
    }
    if (chunk.has_block_items()) queue_.push_back(std::move(chunk));
    Response end;
    end.mutable_end_of_block()->set_block_number(next_++);
    queue_.push_back(std::move(end));
  }

  void put_status(Response::Code code) {
    Response message;
    message.set_status(code);
    queue_.push_back(std::move(message));
    ending_ = true;
  }

  NodeHost& host_;
  std::shared_ptr<SubscribeStream> self_;
  std::mutex mutex_;
  BlockNumber next_;
  BlockNumber end_;
  std::size_t chunk_bytes_ = 0;
  std::deque<Response> queue_;
  bool writing_ = false;
  bool ending_ = false;
  bool finished_ = false;
};

}  // namespace

grpc::ServerWriteReactor<Response>* SubscribeService::subscribeBlockStream(
    grpc::CallbackServerContext* /*context*/, const api::SubscribeStreamRequest* request) {
  const auto stream = std::make_shared<SubscribeStream>(host_, *request);
  stream->begin(stream);
  return stream.get();
}

}  // namespace davit::standin
