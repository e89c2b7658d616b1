// One NodeModel shared by the main loop and gRPC's threads.
//
// Contract: the model is touched only under the host's mutex. Answers to publishers are queued on
// their sinks while the mutex is held (so their order is the model's) and sent after it is
// released.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "standin/blocknode/model/node_model.hpp"

namespace davit::standin {

// Where a publisher's answers go.
class PublishSink {
 public:
  virtual ~PublishSink() = default;
  virtual void queue(PublishReply reply) = 0;  // called under the host's mutex: only remember it
  virtual void send() = 0;                     // called without it
};

// Someone who waits for new blocks.
class BlockWaiter {
 public:
  virtual ~BlockWaiter() = default;
  virtual void blocks_available() = 0;
};

class NodeHost {
 public:
  // `on_change` is called without the mutex when the main loop should tick soon.
  NodeHost(NodeModel& model, std::function<void()> on_change)
      : model_(model), on_change_(std::move(on_change)) {}

  Time now() const { return std::chrono::steady_clock::now() - origin_; }

  // Runs `input` on the model, then carries out what the model asks for.
  template <typename Input>
  auto with(Input input) {
    Pending pending;
    std::unique_lock lock(mutex_);
    if constexpr (std::is_void_v<decltype(input(model_))>) {
      input(model_);
      collect(pending);
      lock.unlock();
      deliver(pending);
    } else {
      auto result = input(model_);
      collect(pending);
      lock.unlock();
      deliver(pending);
      return result;
    }
  }

  SessionId add_publisher(std::shared_ptr<PublishSink> sink);
  void remove_publisher(SessionId id);
  void add_waiter(std::shared_ptr<BlockWaiter> waiter);
  void remove_waiter(const std::shared_ptr<BlockWaiter>& waiter);

 private:
  struct Pending {
    std::set<std::shared_ptr<PublishSink>> sinks;
    std::vector<std::shared_ptr<BlockWaiter>> waiters;
    bool changed = false;
  };

  void collect(Pending& pending);  // with the mutex
  void deliver(const Pending& pending) const;

  NodeModel& model_;
  std::function<void()> on_change_;
  std::chrono::steady_clock::time_point origin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::map<SessionId, std::shared_ptr<PublishSink>> sinks_;
  std::set<std::shared_ptr<BlockWaiter>> waiters_;
};

}  // namespace davit::standin
