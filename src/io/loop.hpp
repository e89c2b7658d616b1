// Loop: one thread, one queue of callbacks, one clock. Everything Davit does runs on a Loop.
//
// Concurrency contract: a Loop and all that runs on it belong to one thread. No member may be
// called from another thread, except `post_from_any_thread` of the concrete AsioLoop.
// Implementations: io::AsioLoop (real time, sockets), sim::VirtualLoop (virtual time).
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.hpp"

namespace davit::io {

using Callback = std::move_only_function<void()>;

// Names one pending callback; 0 names none.
using CallbackId = std::uint64_t;

class Loop : public Clock {
 public:
  // Runs `callback` once, in a later turn of the loop, after what is already queued.
  virtual CallbackId post(Callback callback) = 0;
  // Runs `callback` once, at `when` or in the next turn if that has passed.
  virtual CallbackId call_at(Monotonic when, Callback callback) = 0;
  // The callback will not run. Ids that have run or are unknown are ignored.
  virtual void cancel(CallbackId id) = 0;

  CallbackId call_after(Duration delay, Callback callback) {
    return call_at(now() + delay, std::move(callback));
  }
};

// A point in time by which an answer is wanted, passed down by value.
struct Deadline {
  Monotonic at;
  [[nodiscard]] static Deadline after(const Clock& clock, Duration d) { return {clock.now() + d}; }
  [[nodiscard]] static Deadline never() { return {{Duration::max()}}; }
  [[nodiscard]] Duration remaining(const Clock& clock) const { return at - clock.now(); }
  [[nodiscard]] Deadline earlier(Deadline other) const { return at < other.at ? *this : other; }
};

}  // namespace davit::io
