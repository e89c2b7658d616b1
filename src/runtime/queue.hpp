// Queue: which keys wait for a reconcile, and when each may run.
//
// A key is in the queue at most once. Changed keys go before resynced ones. While a key is being
// worked on (taken, not done) it may be added again; it then runs once more after `done`. Failures
// back off per key: 0.5 s doubling to 5 min with full jitter; a retry hint of the server wins;
// success resets. One consumer set, one thread: that of the Loop.
#pragma once

#include <deque>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/random.hpp"
#include "io/sync.hpp"
#include "io/task.hpp"
#include "kube/resource.hpp"

namespace davit::runtime {

enum class Priority { kChanged, kResync };

class Queue {
 public:
  Queue(io::Loop& loop, Random& random) : loop_(&loop), random_(&random), ready_(loop) {}
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue();

  void add(ObjectKey key, Priority priority = Priority::kChanged);
  // The earliest of several times counts.
  void add_after(ObjectKey key, Duration delay);
  // Waits for the next key and marks it as being worked on.
  io::Task<ObjectKey> take();
  void done(const ObjectKey& key);
  // Who worked is no more: the keys they had taken wait again.
  void forget_workers();

  // The delay before the next try of a key that has just failed once more.
  [[nodiscard]] Duration failed(const ObjectKey& key,
                                std::optional<std::chrono::milliseconds> hint);
  void succeeded(const ObjectKey& key) { failures_.erase(key); }

  [[nodiscard]] std::size_t depth() const { return changed_.size() + resync_.size(); }

 private:
  struct Timer {
    io::CallbackId id = 0;
    Monotonic when;
  };
  [[nodiscard]] std::optional<ObjectKey> pop();

  io::Loop* loop_;
  Random* random_;
  std::deque<ObjectKey> changed_;
  std::deque<ObjectKey> resync_;
  std::unordered_map<ObjectKey, Priority> waiting_;  // in one of the two above
  std::unordered_set<ObjectKey> working_;
  std::unordered_map<ObjectKey, Priority> again_;  // added while being worked on
  std::unordered_map<ObjectKey, Timer> timers_;
  std::unordered_map<ObjectKey, int> failures_;
  io::Notify ready_;
};

}  // namespace davit::runtime
