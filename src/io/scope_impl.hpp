// The templates of scope.hpp.
#pragma once

#include "io/scope.hpp"

namespace davit::io {

namespace detail {

template <typename T>
Task<void> store(Task<T> task, std::optional<T>& slot) {
  slot.emplace(co_await std::move(task));
}

template <typename T>
Task<void> forward(Task<T> task, OneShot<T>& done) {
  done.set(co_await std::move(task));
}

template <typename T>
Task<void> forward_indexed(Task<T> task, std::size_t index,
                           OneShot<std::pair<std::size_t, T>>& done) {
  T value = co_await std::move(task);
  done.set({index, std::move(value)});
}

}  // namespace detail

template <typename T>
Task<std::vector<T>> all(Loop& loop, std::vector<Task<T>> tasks) {
  std::vector<std::optional<T>> slots(tasks.size());
  Scope scope(loop);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    scope.spawn(detail::store(std::move(tasks[i]), slots[i]));
  }
  co_await scope.join();
  std::vector<T> results;
  results.reserve(slots.size());
  for (auto& slot : slots) results.push_back(std::move(*slot));
  co_return results;
}

template <typename T>
Task<std::pair<std::size_t, T>> any(Loop& loop, std::vector<Task<T>> tasks) {
  OneShot<std::pair<std::size_t, T>> first(loop);
  Scope scope(loop);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    scope.spawn(detail::forward_indexed(std::move(tasks[i]), i, first));
  }
  co_return co_await first;
}

template <typename T>
Task<Result<T>> with_deadline(Loop& loop, Deadline deadline, Task<Result<T>> task,
                              std::string what) {
  OneShot<Result<T>> done(loop);
  Scope scope(loop);
  scope.spawn(detail::forward(std::move(task), done));
  const CallbackId timer = loop.call_at(deadline.at, [&done, &what] {
    done.set(fail(Code::kDeadlineExceeded, what + " got no answer in time"));
  });
  struct Cancel {
    Loop& loop;
    CallbackId id;
    ~Cancel() { loop.cancel(id); }
  } cancel{loop, timer};
  co_return co_await done;
}

}  // namespace davit::io
