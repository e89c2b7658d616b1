#include "standin/blocknode/server/subscribe_service.hpp"

#include <algorithm>
#include <deque>
#include <iterator>

#include "standin/blocknode/model/subscription.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using Response = api::SubscribeStreamResponse;

// One subscriber's stream: one block in memory at a time; parked while there is no further block.
class SubscribeStream final : public grpc::ServerWriteReactor<Response>, public BlockWaiter {
 public:
  SubscribeStream(NodeHost& host, const api::SubscribeStreamRequest& request)
      : host_(host), subscription_(request) {}

  void begin(std::shared_ptr<SubscribeStream> self) {
    self_ = std::move(self);
    host_.add_waiter(self_);
    const std::lock_guard lock(mutex_);
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
    auto messages = host_.with([&](NodeModel& model) { return subscription_.next(model); });
    std::ranges::move(messages, std::back_inserter(queue_));
    ending_ = subscription_.is_over();
  }

  NodeHost& host_;
  std::shared_ptr<SubscribeStream> self_;
  std::mutex mutex_;
  Subscription subscription_;
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
