// Scope: owns coroutines that run beside their creator. Nothing is ever detached.
//
//   Scope scope(loop);
//   scope.spawn(watch_pods());      // starts in a later turn of the loop
//   co_await scope.join();          // until all have ended
//
// Destroying a Scope destroys what still runs in it (see Task: destruction is cancellation). It
// must not be destroyed by one of its own children. An exception that escapes a child is handed to
// on_error (default: std::terminate, because nobody else could hear of it).
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "io/sync.hpp"
#include "io/task.hpp"

namespace davit::io {

class Scope {
 public:
  using OnError = std::function<void(std::exception_ptr)>;

  explicit Scope(Loop& loop, OnError on_error = {});
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;
  ~Scope();

  void spawn(Task<void> task);
  [[nodiscard]] std::size_t running() const { return children_.size(); }
  Task<void> join();
  // Destroys all children now. Not from inside a child.
  void cancel();

 private:
  struct Child {
    std::coroutine_handle<> frame;
    CallbackId start = 0;  // pending until the child's first turn
  };
  using ChildRef = std::list<Child>::iterator;
  struct Runner;
  static Runner drive(Scope* scope, ChildRef self, Task<void> task);
  void ended(ChildRef child);

  Loop* loop_;
  OnError on_error_;
  std::list<Child> children_;
  Notify idle_;
};

// All run at once; the results keep the order given.
template <typename T>
Task<std::vector<T>> all(Loop& loop, std::vector<Task<T>> tasks);

// All run at once; the answer of the first that ends, and which it was; the others are destroyed.
template <typename T>
Task<std::pair<std::size_t, T>> any(Loop& loop, std::vector<Task<T>> tasks);

// The answer of `task`, or Code::kDeadlineExceeded with `what` in its message at `deadline`; then
// the task is destroyed.
template <typename T>
Task<Result<T>> with_deadline(Loop& loop, Deadline deadline, Task<Result<T>> task,
                              std::string what = "the call");

}  // namespace davit::io

#include "io/scope_impl.hpp"
