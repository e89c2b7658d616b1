// TimeLapse: couples virtual time to real time: every few milliseconds of a real loop the simulated
// world is advanced by what has passed, times the speed.
//
//   TimeLapse time(real_loop, [&](Duration d) { world.advance(d); }, 60);
//   time.wake();                     // something was put on the virtual loop: run it now
//   time.set_speed(0);               // paused: what is due runs, the clock stands still
//
// A world too slow for its speed falls behind and is not hurried: time that could not be simulated
// is forgotten, so that requests keep being answered. Both loops belong to one thread. `advance` is
// never called from within itself.
#pragma once

#include <functional>

#include "io/loop.hpp"

namespace davit::sim {

class TimeLapse {
 public:
  TimeLapse(io::Loop& real, std::function<void(Duration)> advance, double speed);
  ~TimeLapse();
  TimeLapse(const TimeLapse&) = delete;
  TimeLapse& operator=(const TimeLapse&) = delete;

  [[nodiscard]] double speed() const { return speed_; }
  void set_speed(double speed);
  void wake();
  // Virtual time that has been simulated, and that had to be forgotten.
  [[nodiscard]] Duration simulated() const { return simulated_; }
  [[nodiscard]] Duration forgotten() const { return forgotten_; }

 private:
  void account();
  void tick();
  void run(Duration patience);

  io::Loop* real_;
  std::function<void(Duration)> advance_;
  double speed_;
  Monotonic last_;
  Duration due_{0};
  Duration simulated_{0}, forgotten_{0};
  io::CallbackId timer_ = 0;
  io::CallbackId woken_ = 0;
};

}  // namespace davit::sim
