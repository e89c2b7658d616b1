// Clock: the only way to learn the time, so that a simulator can own it.
//
// Monotonic time orders and measures; wall time is for humans and for what Kubernetes stores. The
// two may jump apart. Implementations: SystemClock (here), ManualClock (tests), the simulator's.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace davit {

using Duration = std::chrono::nanoseconds;

// A point on the monotonic clock; its epoch is arbitrary.
struct Monotonic {
  Duration since_epoch{0};
  friend auto operator<=>(const Monotonic&, const Monotonic&) = default;
  friend Monotonic operator+(Monotonic t, Duration d) { return {t.since_epoch + d}; }
  friend Duration operator-(Monotonic a, Monotonic b) { return a.since_epoch - b.since_epoch; }
};

// A point on the wall clock, UTC.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual Monotonic now() const = 0;
  [[nodiscard]] virtual WallTime wall() const = 0;
};

class SystemClock final : public Clock {
 public:
  [[nodiscard]] Monotonic now() const override;
  [[nodiscard]] WallTime wall() const override;
};

class ManualClock final : public Clock {
 public:
  [[nodiscard]] Monotonic now() const override { return now_; }
  [[nodiscard]] WallTime wall() const override { return wall_; }
  void advance(Duration d) {
    now_ = now_ + d;
    wall_ += std::chrono::duration_cast<std::chrono::microseconds>(d);
  }
  void set_wall(WallTime wall) { wall_ = wall; }

 private:
  Monotonic now_{};
  WallTime wall_{std::chrono::seconds{1'767'225'600}};  // 2026-01-01T00:00:00Z
};

// RFC 3339 with whole seconds, the form of metav1.Time: 2026-01-01T00:00:00Z.
[[nodiscard]] std::string format_time(WallTime time);
// RFC 3339 with microseconds, the form of metav1.MicroTime.
[[nodiscard]] std::string format_micro_time(WallTime time);

}  // namespace davit
