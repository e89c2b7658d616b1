// SkewedLoop: another machine's view of the same loop: its wall clock is off and its monotonic
// clock started elsewhere and runs faster or slower. For tests of everything that two processes
// agree on by time (leases). Borrows the loop.
#pragma once

#include <cmath>
#include <utility>

#include "io/loop.hpp"

namespace davit::sim {

class SkewedLoop final : public io::Loop {
 public:
  // rate 1.01: this machine's second passes 1 percent sooner.
  SkewedLoop(io::Loop& loop, std::chrono::microseconds wall_offset, Duration epoch = {},
             double rate = 1.0)
      : loop_(&loop), wall_offset_(wall_offset), epoch_(epoch), rate_(rate) {}

  [[nodiscard]] Monotonic now() const override {
    return {epoch_ + scale(loop_->now().since_epoch, rate_)};
  }
  [[nodiscard]] WallTime wall() const override { return loop_->wall() + wall_offset_; }
  io::CallbackId post(io::Callback callback) override { return loop_->post(std::move(callback)); }
  io::CallbackId call_at(Monotonic when, io::Callback callback) override {
    if (when.since_epoch == Duration::max()) return loop_->call_at(when, std::move(callback));
    const Duration real = scale(when.since_epoch - epoch_, 1 / rate_) + Duration(1);
    return loop_->call_at({real}, std::move(callback));
  }
  void cancel(io::CallbackId id) override { loop_->cancel(id); }

 private:
  static Duration scale(Duration d, double by) {
    return Duration(std::llround(static_cast<double>(d.count()) * by));
  }
  io::Loop* loop_;
  std::chrono::microseconds wall_offset_;
  Duration epoch_;
  double rate_;
};

}  // namespace davit::sim
