#include "standin/blocknode/server/publish_service.hpp"

#include <deque>

namespace davit::standin {
namespace {

using org::hiero::block::api::PublishStreamRequest;
using org::hiero::block::api::PublishStreamResponse;

// One publisher's stream. Owns itself until gRPC is done with it.
class PublishStream final
    : public grpc::ServerBidiReactor<PublishStreamRequest, PublishStreamResponse>,
      public PublishSink {
 public:
  explicit PublishStream(NodeHost& host) : host_(host) {}

  void begin(std::shared_ptr<PublishStream> self) {
    self_ = std::move(self);
    id_ = host_.add_publisher(self_);
    StartRead(&request_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) {  // the publisher is done or gone
      host_.remove_publisher(id_);
      const std::lock_guard lock(mutex_);
      closing_ = true;
      advance();
      return;
    }
    host_.with([&](NodeModel& model) {
      model.publish(id_, std::exchange(request_, PublishStreamRequest()), host_.now());
    });
    StartRead(&request_);
  }

  void OnWriteDone(bool ok) override {
    const std::lock_guard lock(mutex_);
    writing_ = false;
    queue_.pop_front();
    if (!ok) closing_ = true;
    advance();
  }

  void OnDone() override {
    host_.remove_publisher(id_);
    self_.reset();  // the host may still hold a reference for a moment
  }

  void queue(PublishReply reply) override {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    closing_ = reply.last;
    queue_.push_back(std::move(reply.message));
  }

  void send() override {
    const std::lock_guard lock(mutex_);
    advance();
  }

 private:
  // With mutex_: writes what is next, or ends the stream when all is written.
  void advance() {
    if (writing_ || finished_) return;
    if (!queue_.empty()) {
      writing_ = true;
      StartWrite(&queue_.front());
    } else if (closing_) {
      finished_ = true;
      Finish(grpc::Status::OK);
    }
  }

  NodeHost& host_;
  std::shared_ptr<PublishStream> self_;
  SessionId id_ = 0;
  PublishStreamRequest request_;
  std::mutex mutex_;
  std::deque<PublishStreamResponse> queue_;
  bool writing_ = false;
  bool closing_ = false;
  bool finished_ = false;
};

}  // namespace

grpc::ServerBidiReactor<PublishStreamRequest, PublishStreamResponse>*
PublishService::publishBlockStream(grpc::CallbackServerContext* /*context*/) {
  const auto stream = std::make_shared<PublishStream>(host_);
  stream->begin(stream);
  return stream.get();
}

}  // namespace davit::standin
