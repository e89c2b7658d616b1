// WorkQueue: the keys a controller has to look at, each once, in order of their time.
//
//   WorkQueue queue(loop, [&](const ObjectKey& key) { sync(key); });
//   queue.add(key);                                    // something changed: after `delay`
//   queue.add_at(key, now + seconds(10), Wait::kPeriodic);
//
// A key waits at most once: the earliest time counts. Switched off, it keeps its keys and does them
// when it is switched on again. One thread: that of the loop.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/names.hpp"
#include "io/loop.hpp"

namespace davit::sim {

enum class Wait {
  kProgress,  // something will happen by itself: a cluster with such work is not settled
  kPeriodic,  // a probe, a back-off, a time limit: part of the quiet life
};

class WorkQueue {
 public:
  using Work = std::function<void(const ObjectKey&)>;
  WorkQueue(io::Loop& loop, Work work) : loop_(&loop), work_(std::move(work)) {}
  ~WorkQueue() { loop_->cancel(timer_); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(const ObjectKey& key) { add_at(key, loop_->now() + delay_, Wait::kProgress); }
  void add_at(const ObjectKey& key, Monotonic when, Wait wait);
  void forget(const ObjectKey& key);

  void set_delay(Duration delay) { delay_ = delay; }
  void set_enabled(bool enabled);
  [[nodiscard]] bool enabled() const { return enabled_; }
  // Nothing waits that will change something by itself.
  [[nodiscard]] bool settled() const { return in_progress_ == 0; }

 private:
  struct Entry {
    Monotonic when;
    Wait wait = Wait::kProgress;
  };
  void arm();
  void run();

  io::Loop* loop_;
  Work work_;
  Duration delay_{std::chrono::milliseconds(20)};
  bool enabled_ = true;
  std::map<ObjectKey, Entry> entries_;
  std::set<std::pair<Monotonic, ObjectKey>> order_;
  std::size_t in_progress_ = 0;
  io::CallbackId timer_ = 0;
  Monotonic armed_at_;
};

}  // namespace davit::sim
