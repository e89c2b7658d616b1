// LoopLag: measures how late a loop runs what is due: the sign of work that does not yield.
//
//   LoopLag lag(loop, std::chrono::seconds(1), [&](Duration late) { histogram.observe(late); });
//
// Every `period` one callback is due; `observe` gets how much later than that it ran (never
// negative). On the loop's thread. Destroying it ends the measuring. It also keeps the loop's
// progress stamp moving, so a stamp older than a few periods means a stuck loop.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>

#include "io/loop.hpp"

namespace davit::io {

class LoopLag {
 public:
  using Observe = std::function<void(Duration)>;

  LoopLag(Loop& loop, Duration period, Observe observe)
      : loop_(&loop), period_(period), observe_(std::move(observe)) {
    schedule();
  }
  LoopLag(const LoopLag&) = delete;
  LoopLag& operator=(const LoopLag&) = delete;
  ~LoopLag() { loop_->cancel(pending_); }

  [[nodiscard]] Duration last() const { return last_; }
  // The worst since the last call of this.
  [[nodiscard]] Duration take_worst() { return std::exchange(worst_, last_); }

 private:
  void schedule() {
    due_ = loop_->now() + period_;
    pending_ = loop_->call_at(due_, [this] {
      last_ = std::max(Duration{0}, loop_->now() - due_);
      worst_ = std::max(worst_, last_);
      schedule();
      if (observe_) observe_(last_);
    });
  }

  Loop* loop_;
  Duration period_;
  Observe observe_;
  Monotonic due_;
  Duration last_{0};
  Duration worst_{0};
  CallbackId pending_ = 0;
};

}  // namespace davit::io
