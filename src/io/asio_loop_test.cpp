#include "io/asio_loop.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <thread>

#include "io/block_on.hpp"
#include "io/callback_table.hpp"
#include "io/loop_lag.hpp"
#include "io/manual_loop.hpp"
#include "io/timer_heap.hpp"

namespace davit::io {
namespace {

using std::chrono::milliseconds;

TEST(AsioLoop, PostedCallbacksRunInOrderAndWhatTheyPostRunsAfter) {
  AsioLoop loop;
  std::string order;
  loop.post([&] {
    order += 'a';
    loop.post([&] {
      order += 'c';
      loop.stop();
    });
  });
  loop.post([&] { order += 'b'; });
  loop.run();
  EXPECT_EQ(order, "abc");
}

TEST(AsioLoop, TimersRunInTheOrderOfTheirTimesAndEqualOnesInTheOrderOfTheirCalls) {
  AsioLoop loop;
  std::string order;
  const Monotonic base = loop.now();
  loop.call_at(base + milliseconds(20), [&] {
    order += '3';
    loop.stop();
  });
  loop.call_at(base + milliseconds(10), [&] { order += '1'; });
  loop.call_at(base + milliseconds(10), [&] { order += '2'; });
  loop.call_at(base + milliseconds(-10), [&] { order += '0'; });
  loop.run();
  EXPECT_EQ(order, "0123");
  EXPECT_GE(loop.now() - base, milliseconds(20));
}

TEST(AsioLoop, CancelledCallbacksDoNotRunAndTheirIdsNameNothingLater) {
  AsioLoop loop;
  int ran = 0;
  const CallbackId posted = loop.post([&] { ++ran; });
  const CallbackId timed = loop.call_after(milliseconds(1), [&] { ++ran; });
  loop.cancel(posted);
  loop.cancel(timed);
  const CallbackId again = loop.post([&] { loop.stop(); });
  EXPECT_NE(again, posted);
  loop.cancel(posted);
  loop.cancel(0);
  loop.run();
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(loop.pending(), 0u);
}

TEST(AsioLoop, AnotherThreadMayPostAndStop) {
  AsioLoop loop;
  std::thread::id ran_on;
  std::thread other([&] {
    loop.post_from_any_thread([&] { ran_on = std::this_thread::get_id(); });
    loop.post_from_any_thread([&] { loop.stop(); });
  });
  loop.run();
  other.join();
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(AsioLoop, SignalsReachTheHandlerOnTheLoop) {
  AsioLoop loop;
  int got = 0;
  loop.on_signal([&](int signal) {
    got = signal;
    loop.stop();
  });
  loop.post([] { std::raise(SIGTERM); });
  loop.run();
  EXPECT_EQ(got, SIGTERM);
}

TEST(AsioLoop, ProgressMovesWithEachTurn) {
  AsioLoop loop;
  const auto before = loop.progress();
  loop.post([&] { loop.stop(); });
  loop.run();
  EXPECT_GT(loop.progress().turns, before.turns);
  EXPECT_GT(loop.progress().last_turn, before.last_turn);
}

Task<int> add_slowly(Loop& loop, int a, int b) {
  co_await sleep_for(loop, milliseconds(1));
  co_return a + b;
}

TEST(BlockOn, ReturnsTheAnswerOrRethrowsAndMayBeRepeated) {
  AsioLoop loop;
  EXPECT_EQ(block_on(loop, add_slowly(loop, 1, 2)), 3);
  const auto thrower = []() -> Task<void> {
    throw std::runtime_error("boom");
    co_return;
  };
  EXPECT_THROW(block_on(loop, thrower()), std::runtime_error);
  EXPECT_EQ(block_on(loop, add_slowly(loop, 3, 4)), 7);
}

TEST(CallbackTable, AReusedSlotHasANewId) {
  CallbackTable table;
  const CallbackId first = table.add([] {});
  EXPECT_TRUE(table.take(first));
  const CallbackId second = table.add([] {});
  EXPECT_NE(first, second);
  EXPECT_FALSE(table.take(first));
  EXPECT_TRUE(table.contains(second));
  EXPECT_FALSE(table.contains(12345));
  EXPECT_EQ(table.size(), 1u);
}

TEST(TimerHeap, KeepOnlyDropsTheDeadAndKeepsTheOrder) {
  TimerHeap heap;
  for (CallbackId id = 1; id <= 100; ++id) heap.push({milliseconds(1000 - 7 * (id % 13))}, id);
  heap.keep_only([](CallbackId id) { return id % 2 == 0; });
  EXPECT_EQ(heap.size(), 50u);
  Monotonic last{};
  for (int left = 50; left > 0; --left) {
    EXPECT_LE(last, heap.next());
    last = heap.next();
    EXPECT_EQ(heap.pop() % 2, 0u);
  }
  EXPECT_TRUE(heap.empty());
}

// Keeps one timer, which the test runs when it likes.
class HandLoop final : public Loop {
 public:
  ManualClock clock;
  Callback callback;
  [[nodiscard]] Monotonic now() const override { return clock.now(); }
  [[nodiscard]] WallTime wall() const override { return clock.wall(); }
  CallbackId post(Callback) override { return 0; }
  CallbackId call_at(Monotonic, Callback c) override {
    callback = std::move(c);
    return 1;
  }
  void cancel(CallbackId) override { callback = {}; }
  void run_after(Duration wait) {
    clock.advance(wait);
    std::exchange(callback, {})();
  }
};

TEST(LoopLag, ReportsHowLateADueCallbackRuns) {
  HandLoop loop;
  std::vector<Duration> seen;
  {
    LoopLag lag(loop, milliseconds(100), [&](Duration late) { seen.push_back(late); });
    loop.run_after(milliseconds(100));
    loop.run_after(milliseconds(130));
    loop.run_after(milliseconds(101));
    EXPECT_EQ(lag.last(), milliseconds(1));
    EXPECT_EQ(lag.take_worst(), milliseconds(30));
    EXPECT_EQ(lag.take_worst(), milliseconds(1));
  }
  EXPECT_EQ(seen, (std::vector<Duration>{milliseconds(0), milliseconds(30), milliseconds(1)}));
  EXPECT_FALSE(loop.callback);
}

Task<int> wait_then(Loop& loop, Duration delay, int value) {
  co_await sleep_for(loop, delay);
  co_return value;
}

Task<void> keep_first(Loop& loop, std::vector<Task<int>> tasks,
                      std::optional<std::pair<std::size_t, int>>& slot) {
  slot = co_await any(loop, std::move(tasks));
}

TEST(Any, TheFirstToEndWinsAndTheOthersAreDestroyed) {
  ManualLoop loop;
  Scope scope(loop);
  std::vector<Task<int>> tasks;
  tasks.push_back(wait_then(loop, milliseconds(50), 1));
  tasks.push_back(wait_then(loop, milliseconds(20), 2));
  std::optional<std::pair<std::size_t, int>> first;
  scope.spawn(keep_first(loop, std::move(tasks), first));
  loop.advance(milliseconds(20));
  ASSERT_TRUE(first);
  EXPECT_EQ(*first, std::pair(std::size_t{1}, 2));
  EXPECT_EQ(loop.pending(), 0u);
}

}  // namespace
}  // namespace davit::io
