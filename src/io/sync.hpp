// The few ways coroutines wait for each other: OneShot (one value, once), Notify (wake all), sleep.
//
// All resume their waiters through the Loop, never inside the caller's stack, so the waker may be
// destroyed by whom it wakes. All unregister in their awaiter's destructor: destroying a waiting
// coroutine is always safe. The object must outlive its waiters. One thread: that of the Loop.
#pragma once

#include <coroutine>
#include <list>
#include <optional>
#include <utility>

#include "io/loop.hpp"

namespace davit::io {

// Holds a value that one coroutine awaits. The first set() counts, later ones are ignored.
template <typename T>
class OneShot {
 public:
  explicit OneShot(Loop& loop) : loop_(&loop) {}
  OneShot(const OneShot&) = delete;
  OneShot& operator=(const OneShot&) = delete;
  ~OneShot() { loop_->cancel(pending_); }

  void set(T value) {
    if (value_) return;
    value_.emplace(std::move(value));
    if (waiter_) wake();
  }
  [[nodiscard]] bool is_set() const { return value_.has_value(); }

  auto operator co_await() noexcept {
    struct Awaiter {
      OneShot* shot;
      explicit Awaiter(OneShot* s) : shot(s) {}
      Awaiter(const Awaiter&) = delete;
      Awaiter& operator=(const Awaiter&) = delete;
      ~Awaiter() {
        shot->waiter_ = {};
        shot->loop_->cancel(std::exchange(shot->pending_, 0));
      }
      [[nodiscard]] bool await_ready() const noexcept { return shot->is_set(); }
      void await_suspend(std::coroutine_handle<> handle) { shot->waiter_ = handle; }
      T await_resume() { return std::move(*shot->value_); }
    };
    return Awaiter(this);
  }

 private:
  void wake() {
    pending_ = loop_->post([this] {
      pending_ = 0;
      std::exchange(waiter_, {}).resume();
    });
  }

  Loop* loop_;
  std::optional<T> value_;
  std::coroutine_handle<> waiter_;
  CallbackId pending_ = 0;
};

// A condition variable: `co_await notify.wait()` returns after the next notify_all().
// A notify without waiters is not remembered: check the condition before waiting.
class Notify {
 public:
  explicit Notify(Loop& loop) : loop_(&loop) {}
  Notify(const Notify&) = delete;
  Notify& operator=(const Notify&) = delete;

  class Awaiter {
   public:
    explicit Awaiter(Notify& notify) : notify_(&notify) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter() {
      if (linked_) notify_->waiters_.remove(this);
      notify_->loop_->cancel(pending_);
    }
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle) {
      handle_ = handle;
      linked_ = true;
      notify_->waiters_.push_back(this);
    }
    void await_resume() const noexcept {}

   private:
    friend class Notify;
    Notify* notify_;
    std::coroutine_handle<> handle_;
    bool linked_ = false;
    CallbackId pending_ = 0;
  };

  [[nodiscard]] Awaiter wait() { return Awaiter(*this); }

  void notify_all() {
    for (Awaiter* waiter : waiters_) {
      waiter->linked_ = false;
      waiter->pending_ = loop_->post([waiter] {
        waiter->pending_ = 0;
        waiter->handle_.resume();
      });
    }
    waiters_.clear();
  }

 private:
  Loop* loop_;
  std::list<Awaiter*> waiters_;
};

// co_await sleep_until(loop, when); co_await sleep_for(loop, duration).
class SleepAwaiter {
 public:
  SleepAwaiter(Loop& loop, Monotonic when) : loop_(&loop), when_(when) {}
  SleepAwaiter(const SleepAwaiter&) = delete;
  SleepAwaiter& operator=(const SleepAwaiter&) = delete;
  ~SleepAwaiter() { loop_->cancel(pending_); }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    pending_ = loop_->call_at(when_, [this, handle] {
      pending_ = 0;
      handle.resume();
    });
  }
  void await_resume() const noexcept {}

 private:
  Loop* loop_;
  Monotonic when_;
  CallbackId pending_ = 0;
};

[[nodiscard]] inline SleepAwaiter sleep_until(Loop& loop, Monotonic when) { return {loop, when}; }
[[nodiscard]] inline SleepAwaiter sleep_for(Loop& loop, Duration duration) {
  return {loop, loop.now() + duration};
}
// Gives other work on the loop a turn.
[[nodiscard]] inline SleepAwaiter yield(Loop& loop) { return {loop, loop.now()}; }

}  // namespace davit::io
