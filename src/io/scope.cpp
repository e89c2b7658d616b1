#include "io/scope.hpp"

namespace davit::io {

// The frame around one child: reports its end, then destroys itself.
struct Scope::Runner {
  struct promise_type {
    Runner get_return_object() {
      return {std::coroutine_handle<promise_type>::from_promise(*this)};
    }
    [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
    [[nodiscard]] std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  std::coroutine_handle<> frame;
};

Scope::Scope(Loop& loop, OnError on_error)
    : loop_(&loop), on_error_(std::move(on_error)), idle_(loop) {}

Scope::~Scope() { cancel(); }

Scope::Runner Scope::drive(Scope* scope, ChildRef self, Task<void> task) {
  std::exception_ptr error;
  try {
    co_await std::move(task);
  } catch (...) {
    error = std::current_exception();
  }
  if (error) {
    if (!scope->on_error_) std::terminate();
    scope->on_error_(error);
  }
  scope->ended(self);
}

void Scope::spawn(Task<void> task) {
  children_.emplace_back();
  const ChildRef child = std::prev(children_.end());
  child->frame = drive(this, child, std::move(task)).frame;
  child->start = loop_->post([child] {
    child->start = 0;
    child->frame.resume();
  });
}

void Scope::ended(ChildRef child) {
  children_.erase(child);
  if (children_.empty()) idle_.notify_all();
}

Task<void> Scope::join() {
  while (!children_.empty()) co_await idle_.wait();
}

void Scope::cancel() {
  while (!children_.empty()) {
    const Child child = children_.back();
    children_.pop_back();
    loop_->cancel(child.start);
    child.frame.destroy();
  }
}

}  // namespace davit::io
