// VirtualLoop: a Loop on virtual time for whole-cluster runs: nothing runs until it is told to.
//
// As io::ManualLoop, and: timers due at the same instant run in an order drawn from the seed
// (posted callbacks stay first-in first-out, as the contract of Loop says), and the wall clock can
// jump apart from the monotonic one. One thread.
//
//   VirtualLoop loop(seed);
//   loop.advance(std::chrono::minutes(10));
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "base/random.hpp"
#include "io/loop.hpp"

namespace davit::sim {

class VirtualLoop final : public io::Loop {
 public:
  // Without a seed, ties are broken in the order of the calls.
  VirtualLoop() = default;
  explicit VirtualLoop(std::uint64_t seed) : ties_(seed) {}

  [[nodiscard]] Monotonic now() const override { return clock_.now(); }
  [[nodiscard]] WallTime wall() const override { return clock_.wall() + wall_skew_; }
  io::CallbackId post(io::Callback callback) override;
  io::CallbackId call_at(Monotonic when, io::Callback callback) override;
  void cancel(io::CallbackId id) override;

  // Moves the wall clock only; negative jumps back.
  void jump_wall(std::chrono::microseconds by) { wall_skew_ += by; }

  // Runs one due callback, letting time pass to it if it is not later than `limit`. False: none
  // was.
  bool step(Monotonic limit);
  // Runs what is due without letting time pass. Returns how many ran.
  std::size_t run_ready();
  // Lets `duration` pass, stopping at each callback on the way.
  void advance(Duration duration);
  [[nodiscard]] std::size_t pending() const { return queue_.size(); }

 private:
  // Time; tie (posted callbacks after all timers of that time); sequence.
  using Slot = std::tuple<Monotonic, std::uint64_t, io::CallbackId>;
  io::CallbackId insert(Monotonic when, std::uint64_t tie, io::Callback callback);

  ManualClock clock_;
  std::chrono::microseconds wall_skew_{0};
  std::optional<SeededRandom> ties_;
  io::CallbackId last_id_ = 0;
  std::map<Slot, io::Callback> queue_;
  std::map<io::CallbackId, Slot> slots_;
};

}  // namespace davit::sim
