// ConnectionPool: idle connections to one server, newest first. Internal to src/io.
//
// On the loop's thread. Connections that the server has closed are dropped when met, and all are
// closed after `idle_timeout`. Owned by what also owns its users (shared).
#pragma once

#include <deque>
#include <optional>

#include "io/asio_loop.hpp"
#include "io/stream.hpp"

namespace davit::io {

class ConnectionPool {
 public:
  ConnectionPool(Loop& loop, std::size_t max_idle, Duration idle_timeout)
      : loop_(&loop), max_idle_(max_idle), idle_timeout_(idle_timeout) {}
  ConnectionPool(const ConnectionPool&) = delete;
  ConnectionPool& operator=(const ConnectionPool&) = delete;
  ~ConnectionPool() { loop_->cancel(timer_); }

  [[nodiscard]] std::optional<Stream> take() {
    while (!idle_.empty()) {
      Stream stream = std::move(idle_.back().stream);
      idle_.pop_back();
      if (stream.is_quiet()) return stream;
    }
    return std::nullopt;
  }

  void put(Stream stream) {
    if (max_idle_ == 0 || !stream.is_quiet()) return;
    stream.release_buffer();
    idle_.push_back({std::move(stream), loop_->now()});
    if (idle_.size() > max_idle_) idle_.pop_front();
    if (timer_ == 0) schedule();
  }

  [[nodiscard]] std::size_t size() const { return idle_.size(); }

 private:
  struct Idle {
    Stream stream;
    Monotonic since;
  };

  void schedule() {
    timer_ = loop_->call_at(idle_.front().since + idle_timeout_, [this] {
      timer_ = 0;
      const Monotonic now = loop_->now();
      while (!idle_.empty() && now - idle_.front().since >= idle_timeout_) idle_.pop_front();
      if (!idle_.empty()) schedule();
    });
  }

  Loop* loop_;
  std::size_t max_idle_;
  Duration idle_timeout_;
  std::deque<Idle> idle_;
  CallbackId timer_ = 0;
};

}  // namespace davit::io
