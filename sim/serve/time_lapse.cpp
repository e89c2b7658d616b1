#include "sim/serve/time_lapse.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

constexpr Duration kTick = std::chrono::milliseconds(5);
// How long one turn may keep the real loop from its sockets.
constexpr Duration kPatience = std::chrono::milliseconds(20);
// Virtual time between two looks at the real clock.
constexpr Duration kStride = std::chrono::milliseconds(200);
// Of real time; what is older is forgotten.
constexpr Duration kLongestDebt = std::chrono::milliseconds(200);

}  // namespace

TimeLapse::TimeLapse(io::Loop& real, std::function<void(Duration)> advance, double speed)
    : real_(&real), advance_(std::move(advance)), speed_(speed), last_(real.now()) {
  timer_ = real_->call_after(kTick, [this] { tick(); });
}

TimeLapse::~TimeLapse() {
  real_->cancel(timer_);
  real_->cancel(woken_);
}

void TimeLapse::set_speed(double speed) {
  account();
  speed_ = speed;
}

void TimeLapse::account() {
  const Monotonic now = real_->now();
  const auto scaled = [&](Duration real) {
    return Duration(static_cast<Duration::rep>(static_cast<double>(real.count()) * speed_));
  };
  due_ += scaled(now - last_);
  last_ = now;
  const Duration most = std::max(scaled(kLongestDebt), Duration{0});
  if (due_ > most) {
    forgotten_ += due_ - most;
    due_ = most;
  }
}

void TimeLapse::run(Duration patience) {
  const Monotonic until = real_->now() + patience;
  do {
    const Duration stride = std::min(due_, kStride);
    due_ -= stride;
    simulated_ += stride;
    advance_(stride);
  } while (due_ > Duration{0} && real_->now() < until);
}

void TimeLapse::tick() {
  timer_ = real_->call_after(kTick, [this] { tick(); });
  account();
  run(kPatience);
}

void TimeLapse::wake() {
  if (woken_ != 0) return;
  woken_ = real_->post([this] {
    woken_ = 0;
    advance_(Duration{0});
  });
}

}  // namespace davit::sim
