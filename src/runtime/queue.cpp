#include "runtime/queue.hpp"

#include <algorithm>
#include <utility>

namespace davit::runtime {

namespace {

constexpr Duration kFirstDelay = std::chrono::milliseconds(500);
constexpr Duration kLongestDelay = std::chrono::minutes(5);

}  // namespace

Queue::~Queue() {
  for (const auto& [key, timer] : timers_) loop_->cancel(timer.id);
}

void Queue::add(ObjectKey key, Priority priority) {
  if (working_.contains(key)) {
    const auto [slot, added] = again_.emplace(std::move(key), priority);
    if (!added) slot->second = std::min(slot->second, priority);
    return;
  }
  const auto waiting = waiting_.find(key);
  if (waiting != waiting_.end()) {
    if (waiting->second <= priority) return;
    std::erase(resync_, key);  // it moves to the changed ones
    waiting_.erase(waiting);
  }
  waiting_.emplace(key, priority);
  (priority == Priority::kChanged ? changed_ : resync_).push_back(std::move(key));
  ready_.notify_all();
}

void Queue::add_after(ObjectKey key, Duration delay) {
  const Monotonic when = loop_->now() + delay;
  Timer& timer = timers_[key];
  if (timer.id != 0) {
    if (timer.when <= when) return;
    loop_->cancel(timer.id);
  }
  timer.when = when;
  timer.id = loop_->call_at(when, [this, key = std::move(key)] {
    timers_.erase(key);
    add(key);
  });
}

std::optional<ObjectKey> Queue::pop() {
  std::deque<ObjectKey>& from = changed_.empty() ? resync_ : changed_;
  if (from.empty()) return std::nullopt;
  ObjectKey key = std::move(from.front());
  from.pop_front();
  waiting_.erase(key);
  working_.insert(key);
  return key;
}

io::Task<ObjectKey> Queue::take() {
  for (;;) {
    if (auto key = pop()) co_return std::move(*key);
    co_await ready_.wait();
  }
}

void Queue::done(const ObjectKey& key) {
  working_.erase(key);
  const auto again = again_.find(key);
  if (again == again_.end()) return;
  const Priority priority = again->second;
  again_.erase(again);
  add(key, priority);
}

void Queue::forget_workers() {
  const std::unordered_set<ObjectKey> taken = std::exchange(working_, {});
  again_.clear();
  for (const ObjectKey& key : taken) add(key);
}

Duration Queue::failed(const ObjectKey& key, std::optional<std::chrono::milliseconds> hint) {
  const int failures = failures_[key]++;
  if (hint) return *hint;
  const Duration ceiling =
      std::min<Duration>(kLongestDelay, kFirstDelay * (1LL << std::min(failures, 12)));
  // Full jitter, but never so short that a failing key spins.
  return std::max(
      kFirstDelay / 2,
      Duration(static_cast<Duration::rep>(static_cast<double>(ceiling.count()) * random_->unit())));
}

}  // namespace davit::runtime
