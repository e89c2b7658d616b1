// AsioLoop: the Loop of a real process: real time, sockets, signals.
//
//   AsioLoop loop;
//   loop.on_signal([&](int) { loop.stop(); });
//   Scope scope(loop);
//   scope.spawn(serve(loop));
//   loop.run();                       // until stop()
//
// One thread, the one that calls run(). post_from_any_thread, stop and progress may be called from
// any other. A callback that throws ends run() with that exception.
// The loop must outlive everything that was given a reference to it. Destroying it destroys what is
// still queued without running it; a DNS query under way in the resolver's thread is waited for.
#pragma once

#include <functional>
#include <memory>

#include "io/loop.hpp"

namespace davit::io {

class AsioLoop final : public Loop {
 public:
  AsioLoop();
  AsioLoop(const AsioLoop&) = delete;
  AsioLoop& operator=(const AsioLoop&) = delete;
  ~AsioLoop() override;

  [[nodiscard]] Monotonic now() const override;
  [[nodiscard]] WallTime wall() const override;
  CallbackId post(Callback callback) override;
  CallbackId call_at(Monotonic when, Callback callback) override;
  void cancel(CallbackId id) override;

  // Runs callbacks until stop(), also while there is nothing to do. May be called again afterwards.
  void run();
  void stop();
  void post_from_any_thread(Callback callback);
  // `handler` runs on the loop at each SIGTERM or SIGINT; replaces an earlier one.
  void on_signal(std::function<void(int signal)> handler);

  // How far the loop has come: a health check sees a stuck loop by `last_turn` standing still while
  // something is due (LoopLag makes something due regularly).
  struct Progress {
    std::uint64_t turns = 0;
    Monotonic last_turn;
  };
  [[nodiscard]] Progress progress() const;
  // Callbacks posted or waiting for their time.
  [[nodiscard]] std::size_t pending() const;

  struct Impl;  // for the sources of src/io only: asio_access.hpp
  [[nodiscard]] Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace davit::io
