// Task<T>: the coroutine type of Davit.
//
// Lazy: nothing runs until it is awaited (or given to a Scope). Single awaiter: `co_await
// std::move(task)` once. Symmetric transfer: a chain of a million ready awaits uses constant stack.
// Owned: the Task owns its frame; destroying a suspended Task destroys everything it was waiting
// in, innermost last-constructed first, and every awaitable of Davit unregisters itself in its
// destructor. Destruction is therefore cancellation: nothing more is sent, nothing dangles.
//
//   Task<Result<int>> answer(Loop& loop) {
//     co_await sleep_for(loop, std::chrono::seconds(1));
//     co_return 42;
//   }
//
// Rules: parameters by value (references only to what outlives the coroutine); never destroy a Task
// from inside its own running frame. One thread: that of its Loop. An escaping exception is
// rethrown at the awaiting place.
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

namespace davit::io {

template <typename T = void>
class Task;

namespace detail {

struct FinalAwaiter {
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <typename Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) const noexcept {
    const std::coroutine_handle<> next = self.promise().continuation;
    return next ? next : std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

struct PromiseBase {
  std::coroutine_handle<> continuation;

  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
};

template <typename T>
struct Promise : PromiseBase {
  std::variant<std::monostate, T, std::exception_ptr> result;

  Task<T> get_return_object() noexcept;
  void unhandled_exception() noexcept { result.template emplace<2>(std::current_exception()); }
  template <typename U = T>
    requires std::is_constructible_v<T, U&&>
  void return_value(U&& value) {
    result.template emplace<1>(std::forward<U>(value));
  }
  T take() {
    if (result.index() == 2) std::rethrow_exception(std::get<2>(result));
    return std::move(std::get<1>(result));
  }
};

template <>
struct Promise<void> : PromiseBase {
  std::exception_ptr error;

  Task<void> get_return_object() noexcept;
  void unhandled_exception() noexcept { error = std::current_exception(); }
  void return_void() const noexcept {}
  void take() const {
    if (error) std::rethrow_exception(error);
  }
};

}  // namespace detail

template <typename T>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::Promise<T>;
  using Handle = std::coroutine_handle<promise_type>;

  Task() = default;
  explicit Task(Handle handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { reset(); }

  [[nodiscard]] bool valid() const { return static_cast<bool>(handle_); }

  // The awaiter owns the frame: it lives in the awaiting frame and goes with it.
  auto operator co_await() && noexcept {
    struct Awaiter {
      Task task;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
        task.handle_.promise().continuation = awaiting;
        return task.handle_;
      }
      T await_resume() { return task.handle_.promise().take(); }
    };
    return Awaiter{std::move(*this)};
  }

 private:
  void reset() {
    if (handle_) std::exchange(handle_, {}).destroy();
  }
  Handle handle_;
};

namespace detail {

template <typename T>
Task<T> Promise<T>::get_return_object() noexcept {
  return Task<T>(std::coroutine_handle<Promise<T>>::from_promise(*this));
}
inline Task<void> Promise<void>::get_return_object() noexcept {
  return Task<void>(std::coroutine_handle<Promise<void>>::from_promise(*this));
}

}  // namespace detail
}  // namespace davit::io
