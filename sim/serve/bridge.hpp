// From one loop to another of the same thread: a coroutine of the real loop awaits one of the
// virtual loop.
//
//   Answer answer = co_await run_on(virtual_loop, real_loop, wake, gateway.answer(request));
//   auto body = bridge_body(virtual_loop, real_loop, wake, std::move(inner), {limit});
//
// `wake` is called after something was put on the virtual loop. Destroying the waiting task
// destroys the other one, at once. The loops and what the tasks use must outlive both.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "io/http.hpp"
#include "io/scope.hpp"

namespace davit::sim {

using Wake = std::function<void()>;

template <typename T>
io::Task<void> hand_over(io::Task<T> task, io::OneShot<T>& answer) {
  answer.set(co_await std::move(task));
}

// `task` must not throw.
template <typename T>
io::Task<T> run_on(io::Loop& there, io::Loop& here, Wake wake, io::Task<T> task) {
  io::OneShot<T> answer(here);
  io::Scope scope(there);
  scope.spawn(hand_over(std::move(task), answer));
  wake();
  co_return co_await answer;
}

// A body of the virtual loop, read on the real one. Ends in good order at `end`, a time of the real
// loop: the timeouts of watches are those of the client's clock.
[[nodiscard]] std::unique_ptr<io::BodyStream> bridge_body(io::Loop& there, io::Loop& here,
                                                          Wake wake,
                                                          std::unique_ptr<io::BodyStream> inner,
                                                          io::Deadline end);

}  // namespace davit::sim
