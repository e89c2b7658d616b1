#include "io/task.hpp"

#include <gtest/gtest.h>

#include "io/manual_loop.hpp"
#include "io/scope.hpp"

namespace davit::io {
namespace {

Task<int> ready(int value) { co_return value; }

Task<void> await_a_million(long& sum) {
  for (int i = 0; i < 1'000'000; ++i) sum += co_await ready(1);
}

TEST(Task, AMillionReadyAwaitsUseConstantStack) {
  ManualLoop loop;
  Scope scope(loop);
  long sum = 0;
  scope.spawn(await_a_million(sum));
  loop.run_ready();
  EXPECT_EQ(sum, 1'000'000);
}

TEST(Task, IsLazy) {
  ManualLoop loop;
  bool ran = false;
  {
    auto task = [](bool& flag) -> Task<void> {
      flag = true;
      co_return;
    }(ran);
  }
  EXPECT_FALSE(ran);
}

Task<void> sleep_and_count(Loop& loop, int& count) {
  co_await sleep_for(loop, std::chrono::seconds(1));
  ++count;
}

TEST(Scope, DestructionCancelsSleepingChildrenAndLeavesNothingPending) {
  ManualLoop loop;
  int count = 0;
  {
    Scope scope(loop);
    for (int i = 0; i < 10; ++i) scope.spawn(sleep_and_count(loop, count));
    loop.run_ready();
    EXPECT_EQ(scope.running(), 10u);
  }
  EXPECT_EQ(loop.pending(), 0u);
  loop.advance(std::chrono::seconds(2));
  EXPECT_EQ(count, 0);
}

Task<void> join_then_set(Scope& scope, bool& joined) {
  co_await scope.join();
  joined = true;
}

TEST(Scope, JoinReturnsWhenAllHaveEnded) {
  ManualLoop loop;
  int count = 0;
  bool joined = false;
  Scope children(loop);
  Scope waiter(loop);
  for (int i = 0; i < 3; ++i) children.spawn(sleep_and_count(loop, count));
  waiter.spawn(join_then_set(children, joined));
  loop.run_ready();
  EXPECT_FALSE(joined);
  loop.advance(std::chrono::seconds(1));
  EXPECT_TRUE(joined);
  EXPECT_EQ(count, 3);
}

Task<void> throw_one() {
  throw std::runtime_error("boom");
  co_return;
}

TEST(Scope, AnEscapingExceptionReachesOnError) {
  ManualLoop loop;
  int errors = 0;
  Scope scope(loop, [&](std::exception_ptr) { ++errors; });
  scope.spawn(throw_one());
  loop.run_ready();
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(scope.running(), 0u);
}

Task<Result<int>> slow_answer(Loop& loop, Duration delay) {
  co_await sleep_for(loop, delay);
  co_return 42;
}

Task<void> keep(Task<Result<int>> task, std::optional<Result<int>>& slot) {
  slot = co_await std::move(task);
}

TEST(WithDeadline, ALateAnswerIsDeadlineExceededAndTheTaskIsDestroyed) {
  ManualLoop loop;
  Scope scope(loop);
  std::optional<Result<int>> got;
  scope.spawn(keep(with_deadline(loop, Deadline::after(loop, std::chrono::seconds(1)),
                                 slow_answer(loop, std::chrono::seconds(5))),
                   got));
  loop.advance(std::chrono::seconds(1));
  ASSERT_TRUE(got);
  ASSERT_FALSE(got->has_value());
  EXPECT_EQ(got->error().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(loop.pending(), 0u);
}

TEST(WithDeadline, AnAnswerInTimePassesThrough) {
  ManualLoop loop;
  Scope scope(loop);
  std::optional<Result<int>> got;
  scope.spawn(keep(with_deadline(loop, Deadline::after(loop, std::chrono::seconds(9)),
                                 slow_answer(loop, std::chrono::seconds(5))),
                   got));
  loop.advance(std::chrono::seconds(5));
  ASSERT_TRUE(got && got->has_value());
  EXPECT_EQ(**got, 42);
  EXPECT_EQ(loop.pending(), 0u);
}

Task<void> wait_and_count(Notify& notify, int& count) {
  co_await notify.wait();
  ++count;
}

TEST(Notify, WakesAllWaitersAndSurvivesTheirDestruction) {
  ManualLoop loop;
  Notify notify(loop);
  int count = 0;
  {
    Scope doomed(loop);
    doomed.spawn(wait_and_count(notify, count));
    loop.run_ready();
    notify.notify_all();
  }
  Scope scope(loop);
  scope.spawn(wait_and_count(notify, count));
  scope.spawn(wait_and_count(notify, count));
  loop.run_ready();
  notify.notify_all();
  loop.run_ready();
  EXPECT_EQ(count, 2);
}

}  // namespace
}  // namespace davit::io
