// Completion<T>: how a callback of Asio reaches the coroutine that waits for it. Internal to
// src/io.
//
//   Completion<Result<Socket>> done(loop);
//   start_something(done.handler());                  // calls it once, from the loop's thread
//   std::optional<…> got = co_await done.until(deadline);   // nullopt: the deadline came first
//
// The handler shares state with the Completion, not with the coroutine: when the waiting coroutine
// is destroyed, or the deadline passes, a late call of the handler is dropped together with its
// value. The caller still has to stop the operation itself (close the socket). The coroutine is
// resumed directly in the handler, which must be the last thing its caller does.
#pragma once

#include <coroutine>
#include <memory>
#include <optional>
#include <utility>

#include "io/loop.hpp"

namespace davit::io {

template <typename T>
class Completion {
  struct State {
    std::optional<T> value;
    std::coroutine_handle<> waiter;
  };

 public:
  explicit Completion(Loop& loop) : loop_(&loop), state_(std::make_shared<State>()) {}

  [[nodiscard]] auto handler() const {
    return [state = state_](T value) {
      state->value.emplace(std::move(value));
      if (state->waiter) std::exchange(state->waiter, {}).resume();
    };
  }

  class Awaiter {
   public:
    Awaiter(Loop& loop, std::shared_ptr<State> state, Deadline deadline)
        : loop_(&loop), state_(std::move(state)), deadline_(deadline) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      state_->waiter = {};
      if (timer_ != 0) loop_->cancel(timer_);
    }
    [[nodiscard]] bool await_ready() const noexcept { return state_->value.has_value(); }
    void await_suspend(std::coroutine_handle<> handle) {
      state_->waiter = handle;
      if (deadline_.at == Deadline::never().at) return;
      timer_ = loop_->call_at(deadline_.at, [this] {
        timer_ = 0;
        std::exchange(state_->waiter, {}).resume();
      });
    }
    std::optional<T> await_resume() { return std::move(state_->value); }

   private:
    Loop* loop_;
    std::shared_ptr<State> state_;
    Deadline deadline_;
    CallbackId timer_ = 0;
  };

  [[nodiscard]] Awaiter until(Deadline deadline) const { return {*loop_, state_, deadline}; }

 private:
  Loop* loop_;
  std::shared_ptr<State> state_;
};

}  // namespace davit::io
