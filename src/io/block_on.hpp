// block_on: runs an AsioLoop until one task has ended, and returns its answer. For main() and
// tests.
//
//   AsioLoop loop;
//   Result<int> answer = block_on(loop, ask(loop));
//
// Called by the thread that owns the loop, while the loop is not running. An exception of the task
// is rethrown. If somebody else stops the loop first, the task is destroyed and nullopt-like access
// terminates: use Scope and run() where that can happen.
#pragma once

#include <exception>
#include <optional>
#include <type_traits>

#include "io/asio_loop.hpp"
#include "io/scope.hpp"

namespace davit::io {

namespace detail {

template <typename T>
Task<void> store_and_stop(AsioLoop& loop, Task<T> task, std::optional<T>& slot) {
  slot.emplace(co_await std::move(task));
  loop.stop();
}

inline Task<void> run_and_stop(AsioLoop& loop, Task<void> task) {
  co_await std::move(task);
  loop.stop();
}

}  // namespace detail

template <typename T>
T block_on(AsioLoop& loop, Task<T> task) {
  std::exception_ptr error;
  Scope scope(loop, [&](std::exception_ptr e) {
    error = std::move(e);
    loop.stop();
  });
  if constexpr (std::is_void_v<T>) {
    scope.spawn(detail::run_and_stop(loop, std::move(task)));
    loop.run();
    if (error) std::rethrow_exception(error);
  } else {
    std::optional<T> slot;
    scope.spawn(detail::store_and_stop(loop, std::move(task), slot));
    loop.run();
    if (error) std::rethrow_exception(error);
    if (!slot) std::terminate();
    return std::move(*slot);
  }
}

}  // namespace davit::io
