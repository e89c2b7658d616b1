#include "sim/controllers/work_queue.hpp"

namespace davit::sim {

void WorkQueue::add_at(const ObjectKey& key, Monotonic when, Wait wait) {
  const auto [slot, is_new] = entries_.try_emplace(key, Entry{when, wait});
  Entry& entry = slot->second;
  if (is_new) {
    order_.emplace(when, key);
    if (wait == Wait::kProgress) ++in_progress_;
  } else {
    if (wait == Wait::kProgress && entry.wait != Wait::kProgress) {
      entry.wait = wait;
      ++in_progress_;
    }
    if (entry.when <= when) return;
    order_.erase({entry.when, key});
    entry.when = when;
    order_.emplace(when, key);
  }
  arm();
}

void WorkQueue::forget(const ObjectKey& key) {
  const auto found = entries_.find(key);
  if (found == entries_.end()) return;
  if (found->second.wait == Wait::kProgress) --in_progress_;
  order_.erase({found->second.when, key});
  entries_.erase(found);
}

void WorkQueue::set_enabled(bool enabled) {
  enabled_ = enabled;
  arm();
}

void WorkQueue::arm() {
  const bool wanted = enabled_ && !order_.empty();
  if (timer_ != 0) {
    if (wanted && armed_at_ <= order_.begin()->first) return;  // early is harmless
    loop_->cancel(timer_);
    timer_ = 0;
  }
  if (!wanted) return;
  armed_at_ = order_.begin()->first;
  timer_ = loop_->call_at(armed_at_, [this] {
    timer_ = 0;
    run();
  });
}

void WorkQueue::run() {
  const Monotonic now = loop_->now();
  while (enabled_ && !order_.empty() && order_.begin()->first <= now) {
    const ObjectKey key = order_.begin()->second;
    forget(key);
    work_(key);
  }
  arm();
}

}  // namespace davit::sim
