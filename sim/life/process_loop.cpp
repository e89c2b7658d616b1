#include "sim/life/process_loop.hpp"

namespace davit::sim {

ProcessLoop::~ProcessLoop() {
  for (auto& [id, entry] : entries_) loop_->cancel(entry.below);
}

Monotonic ProcessLoop::now() const {
  const Monotonic below = paused_ && clock_stands_ ? paused_at_ : loop_->now();
  return {below.since_epoch - lost_};
}

Monotonic ProcessLoop::outside(Monotonic when) const {
  return when.since_epoch > Duration::max() - lost_ ? Monotonic{Duration::max()} : when + lost_;
}

io::CallbackId ProcessLoop::add(Monotonic when, io::Callback callback) {
  const io::CallbackId id = ++last_id_;
  arm(id, entries_.emplace(id, Entry{when, std::move(callback)}).first->second);
  return id;
}

void ProcessLoop::arm(io::CallbackId id, Entry& entry) {
  entry.below = loop_->call_at(outside(entry.when), [this, id] { run(id); });
}

void ProcessLoop::run(io::CallbackId id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.below = 0;
  if (paused_) {
    held_.push_back(id);
    return;
  }
  if (found->second.when > now()) {  // it slept meanwhile
    arm(id, found->second);
    return;
  }
  auto entry = entries_.extract(found);
  entry.mapped().callback();
}

void ProcessLoop::cancel(io::CallbackId id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  loop_->cancel(found->second.below);
  // Out of the table before it is destroyed: what it holds may call back in.
  const auto gone = entries_.extract(found);
}

void ProcessLoop::pause(bool clock_stands) {
  if (paused_) return;
  paused_ = true;
  clock_stands_ = clock_stands;
  paused_at_ = loop_->now();
}

void ProcessLoop::resume() {
  if (!paused_) return;
  paused_ = false;
  if (clock_stands_) lost_ += loop_->now() - paused_at_;
  for (const io::CallbackId id : std::exchange(held_, {})) {
    const auto found = entries_.find(id);
    if (found != entries_.end()) found->second.below = loop_->post([this, id] { run(id); });
  }
  resumed_.notify_all();
}

io::Task<void> ProcessLoop::gate() {
  while (paused_) co_await resumed_.wait();
}

}  // namespace davit::sim
