#include "sim/virtual_loop.hpp"

#include <algorithm>
#include <limits>

namespace davit::sim {

namespace {
constexpr std::uint64_t kAfterTimers = std::numeric_limits<std::uint64_t>::max();
}

io::CallbackId VirtualLoop::insert(Monotonic when, std::uint64_t tie, io::Callback callback) {
  const Slot slot{when, tie, ++last_id_};
  queue_.emplace(slot, std::move(callback));
  slots_.emplace(last_id_, slot);
  return last_id_;
}

io::CallbackId VirtualLoop::post(io::Callback callback) {
  return insert(now(), kAfterTimers, std::move(callback));
}

io::CallbackId VirtualLoop::call_at(Monotonic when, io::Callback callback) {
  if (when <= now()) return post(std::move(callback));
  return insert(when, ties_ ? ties_->next() >> 1 : 0, std::move(callback));
}

void VirtualLoop::cancel(io::CallbackId id) {
  const auto slot = slots_.find(id);
  if (slot == slots_.end()) return;
  queue_.erase(slot->second);
  slots_.erase(slot);
}

bool VirtualLoop::step(Monotonic limit) {
  if (queue_.empty() || std::get<0>(queue_.begin()->first) > limit) return false;
  auto node = queue_.extract(queue_.begin());
  slots_.erase(std::get<2>(node.key()));
  const Monotonic when = std::get<0>(node.key());
  if (when > now()) clock_.advance(when - now());
  node.mapped()();
  return true;
}

std::size_t VirtualLoop::run_ready() {
  std::size_t ran = 0;
  while (step(now())) ++ran;
  return ran;
}

void VirtualLoop::advance(Duration duration) {
  const Monotonic end = now() + duration;
  while (step(end)) {
  }
  if (end > now()) clock_.advance(end - now());
}

}  // namespace davit::sim
