#include "io/asio_loop.hpp"

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <deque>

#include "io/asio_access.hpp"
#include "io/callback_table.hpp"
#include "io/timer_heap.hpp"

namespace davit::io {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kBatch = 256;  // callbacks per turn, then sockets get theirs
constexpr Monotonic kNever{Duration::max()};

}  // namespace

struct AsioLoop::Impl {
  asio::io_context context{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  asio::steady_timer timer{context};
  asio::signal_set signals{context};
  std::function<void(int)> on_signal;

  CallbackTable callbacks;
  std::deque<CallbackId> ready;
  TimerHeap timers;
  Monotonic armed = kNever;  // when `timer` fires
  bool turn_posted = false;

  std::atomic<std::uint64_t> turns{0};
  std::atomic<Duration::rep> last_turn{0};

  void post_turn() {
    if (turn_posted) return;
    turn_posted = true;
    asio::post(context, [this] { turn(); });
  }

  void turn() {
    turn_posted = false;
    turns.fetch_add(1, std::memory_order_relaxed);
    last_turn.store(SystemClock{}.now().since_epoch.count(), std::memory_order_relaxed);
    struct Continue {  // also when a callback throws
      Impl& impl;
      ~Continue() {
        if (!impl.ready.empty()) impl.post_turn();
      }
    } then{*this};
    // What callbacks add belongs to the next turn.
    for (std::size_t n = std::min(ready.size(), kBatch); n > 0; --n) {
      const CallbackId id = ready.front();
      ready.pop_front();
      if (auto callback = callbacks.take(id)) (*callback)();
    }
  }

  void arm(Monotonic when) {
    if (when >= armed) return;
    armed = when;
    timer.expires_at(std::chrono::steady_clock::time_point(
        std::chrono::steady_clock::duration(when.since_epoch)));
    timer.async_wait([this](const boost::system::error_code& error) {
      if (!error) timer_fired();
    });
  }

  void timer_fired() {
    armed = kNever;
    const Monotonic now = SystemClock{}.now();
    while (!timers.empty() && timers.next() <= now) {
      const CallbackId id = timers.pop();
      if (callbacks.contains(id)) ready.push_back(id);
    }
    if (!timers.empty()) arm(timers.next());
    if (!ready.empty()) post_turn();
  }

  void wait_signal() {
    signals.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      wait_signal();
      if (on_signal) on_signal(signal);
    });
  }
};

AsioLoop::AsioLoop() : impl_(std::make_unique<Impl>()) {}
AsioLoop::~AsioLoop() = default;

Monotonic AsioLoop::now() const { return SystemClock{}.now(); }
WallTime AsioLoop::wall() const { return SystemClock{}.wall(); }

CallbackId AsioLoop::post(Callback callback) {
  const CallbackId id = impl_->callbacks.add(std::move(callback));
  impl_->ready.push_back(id);
  impl_->post_turn();
  return id;
}

CallbackId AsioLoop::call_at(Monotonic when, Callback callback) {
  if (when <= now()) return post(std::move(callback));
  const CallbackId id = impl_->callbacks.add(std::move(callback));
  impl_->timers.push(when, id);
  impl_->arm(when);
  return id;
}

void AsioLoop::cancel(CallbackId id) {
  if (id == 0) return;
  const auto dropped = impl_->callbacks.take(id);
  if (!dropped) return;
  if (impl_->timers.size() > 64 && impl_->timers.size() > 2 * impl_->callbacks.size()) {
    impl_->timers.keep_only([this](CallbackId other) { return impl_->callbacks.contains(other); });
  }
}

void AsioLoop::run() {
  impl_->context.restart();
  impl_->context.run();
}

void AsioLoop::stop() { impl_->context.stop(); }

void AsioLoop::post_from_any_thread(Callback callback) {
  asio::post(impl_->context, [impl = impl_.get(), callback = std::move(callback)]() mutable {
    impl->turns.fetch_add(1, std::memory_order_relaxed);
    callback();
  });
}

void AsioLoop::on_signal(std::function<void(int signal)> handler) {
  const bool first = !impl_->on_signal;
  impl_->on_signal = std::move(handler);
  if (!first) return;
  impl_->signals.add(SIGTERM);
  impl_->signals.add(SIGINT);
  impl_->wait_signal();
}

AsioLoop::Progress AsioLoop::progress() const {
  return {impl_->turns.load(std::memory_order_relaxed),
          {Duration(impl_->last_turn.load(std::memory_order_relaxed))}};
}

std::size_t AsioLoop::pending() const { return impl_->callbacks.size(); }

asio::io_context& asio_context(AsioLoop& loop) { return loop.impl().context; }

}  // namespace davit::io
