// ProcessLoop: the loop as one process sees it: it can be stopped (SIGSTOP, a paused virtual
// machine), and while it stands its monotonic clock may go on or stand as well.
//
// What falls due meanwhile runs after the stop, in its order. Borrows the loop below. One thread.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "io/loop.hpp"
#include "io/sync.hpp"
#include "io/task.hpp"

namespace davit::sim {

class ProcessLoop final : public io::Loop {
 public:
  explicit ProcessLoop(io::Loop& loop) : loop_(&loop), resumed_(loop) {}
  ~ProcessLoop();
  ProcessLoop(const ProcessLoop&) = delete;
  ProcessLoop& operator=(const ProcessLoop&) = delete;

  [[nodiscard]] Monotonic now() const override;
  [[nodiscard]] WallTime wall() const override { return loop_->wall(); }
  io::CallbackId post(io::Callback callback) override { return add(now(), std::move(callback)); }
  io::CallbackId call_at(Monotonic when, io::Callback callback) override {
    return add(when, std::move(callback));
  }
  void cancel(io::CallbackId id) override;

  // Nothing runs until `resume`. `clock_stands`: its monotonic clock does not count the time.
  void pause(bool clock_stands);
  void resume();
  [[nodiscard]] bool paused() const { return paused_; }
  // Returns at once unless the process is stopped.
  io::Task<void> gate();
  // A time of this process on the clock of the loop below.
  [[nodiscard]] Monotonic outside(Monotonic when) const;

 private:
  struct Entry {
    Monotonic when;
    io::Callback callback;
    io::CallbackId below = 0;
  };
  io::CallbackId add(Monotonic when, io::Callback callback);
  void arm(io::CallbackId id, Entry& entry);
  void run(io::CallbackId id);

  io::Loop* loop_;
  io::Notify resumed_;
  std::unordered_map<io::CallbackId, Entry> entries_;
  std::vector<io::CallbackId> held_;
  io::CallbackId last_id_ = 0;
  bool paused_ = false;
  bool clock_stands_ = false;
  Monotonic paused_at_;
  Duration lost_{0};  // time the process never saw
};

}  // namespace davit::sim
