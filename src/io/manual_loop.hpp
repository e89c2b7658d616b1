// ManualLoop: a Loop on virtual time for tests: nothing runs until run_ready() or advance().
#pragma once

#include <map>
#include <utility>

#include "io/loop.hpp"

namespace davit::io {

class ManualLoop : public Loop {
 public:
  [[nodiscard]] Monotonic now() const override { return clock_.now(); }
  [[nodiscard]] WallTime wall() const override { return clock_.wall(); }

  CallbackId post(Callback callback) override { return call_at(now(), std::move(callback)); }
  CallbackId call_at(Monotonic when, Callback callback) override {
    const CallbackId id = ++last_id_;
    queue_.emplace(std::pair(std::max(when, now()), id), std::move(callback));
    times_.emplace(id, std::max(when, now()));
    return id;
  }
  void cancel(CallbackId id) override {
    const auto time = times_.find(id);
    if (time == times_.end()) return;
    queue_.erase(std::pair(time->second, id));
    times_.erase(time);
  }

  // Runs what is due, and what that makes due, without letting time pass. Returns how many ran.
  std::size_t run_ready() {
    std::size_t ran = 0;
    while (!queue_.empty() && queue_.begin()->first.first <= now()) {
      run_first();
      ++ran;
    }
    return ran;
  }
  // Lets `duration` pass, stopping at each callback on the way.
  void advance(Duration duration) {
    const Monotonic end = now() + duration;
    run_ready();
    while (!queue_.empty() && queue_.begin()->first.first <= end) {
      clock_.advance(queue_.begin()->first.first - now());
      run_ready();
    }
    clock_.advance(end - now());
  }
  // Runs until nothing is pending or `limit` has passed. True if nothing is pending.
  bool run_until_idle(Duration limit) {
    const Monotonic end = now() + limit;
    while (!queue_.empty() && queue_.begin()->first.first <= end) {
      const Monotonic next = queue_.begin()->first.first;
      if (next > now()) clock_.advance(next - now());
      run_first();
    }
    return queue_.empty();
  }
  [[nodiscard]] std::size_t pending() const { return queue_.size(); }

 private:
  void run_first() {
    auto node = queue_.extract(queue_.begin());
    times_.erase(node.key().second);
    node.mapped()();
  }

  ManualClock clock_;
  CallbackId last_id_ = 0;
  std::map<std::pair<Monotonic, CallbackId>, Callback> queue_;
  std::map<CallbackId, Monotonic> times_;
};

}  // namespace davit::io
