#include "runtime/queue.hpp"

#include <gtest/gtest.h>

#include "io/manual_loop.hpp"
#include "io/scope.hpp"

namespace davit::runtime {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

ObjectKey key(const std::string& name) { return {"n", name}; }

struct Bench {
  io::ManualLoop loop;
  SeededRandom random{1};
  Queue queue{loop, random};

  // The next key's name, or "" when none is ready.
  std::string take() {
    std::string name;
    io::Scope scope(loop);
    scope.spawn(into(name));
    loop.run_ready();
    return name;
  }
  io::Task<void> into(std::string& name) { name = (co_await queue.take()).name; }
};

TEST(Queue, AKeyWaitsOnce) {
  Bench b;
  b.queue.add(key("a"));
  b.queue.add(key("a"));
  EXPECT_EQ(b.queue.depth(), 1U);
  EXPECT_EQ(b.take(), "a");
  EXPECT_EQ(b.take(), "");
}

TEST(Queue, ChangedKeysGoBeforeResyncedOnes) {
  Bench b;
  b.queue.add(key("old"), Priority::kResync);
  b.queue.add(key("new"));
  EXPECT_EQ(b.take(), "new");
  EXPECT_EQ(b.take(), "old");
}

TEST(Queue, AResyncedKeyThatChangesMovesForward) {
  Bench b;
  b.queue.add(key("a"), Priority::kResync);
  b.queue.add(key("b"), Priority::kResync);
  b.queue.add(key("b"));
  EXPECT_EQ(b.queue.depth(), 2U);
  EXPECT_EQ(b.take(), "b");
  EXPECT_EQ(b.take(), "a");
}

TEST(Queue, AChangedKeyIsNotDemoted) {
  Bench b;
  b.queue.add(key("a"));
  b.queue.add(key("a"), Priority::kResync);
  EXPECT_EQ(b.queue.depth(), 1U);
}

TEST(Queue, AKeyAddedWhileWorkedOnRunsOnceMoreAfterwards) {
  Bench b;
  b.queue.add(key("a"));
  EXPECT_EQ(b.take(), "a");
  b.queue.add(key("a"));
  b.queue.add(key("a"));
  EXPECT_EQ(b.take(), "") << "never two of one key at once";
  b.queue.done(key("a"));
  EXPECT_EQ(b.take(), "a");
  b.queue.done(key("a"));
  EXPECT_EQ(b.take(), "");
}

TEST(Queue, ADelayedKeyComesAtItsTimeAndTheEarliestCounts) {
  Bench b;
  b.queue.add_after(key("a"), seconds(10));
  b.queue.add_after(key("a"), seconds(5));
  b.queue.add_after(key("a"), seconds(20));
  b.loop.advance(milliseconds(4999));
  EXPECT_EQ(b.take(), "");
  b.loop.advance(milliseconds(1));
  EXPECT_EQ(b.take(), "a");
  b.queue.done(key("a"));
  b.loop.advance(minutes(1));
  EXPECT_EQ(b.take(), "");
}

TEST(Queue, FailuresBackOffToFiveMinutesAndSuccessResets) {
  Bench b;
  Duration longest{0};
  for (int i = 0; i < 50; ++i) {
    const Duration delay = b.queue.failed(key("a"), std::nullopt);
    const Duration ceiling =
        std::min<Duration>(minutes(5), milliseconds(500) * (1LL << std::min(i, 20)));
    EXPECT_LE(delay, ceiling);
    EXPECT_GE(delay, milliseconds(250));
    longest = std::max(longest, delay);
  }
  EXPECT_GT(longest, minutes(3));
  b.queue.succeeded(key("a"));
  EXPECT_LE(b.queue.failed(key("a"), std::nullopt), milliseconds(500));
}

TEST(Queue, TheServersHintWins) {
  Bench b;
  EXPECT_EQ(b.queue.failed(key("a"), milliseconds(7000)), seconds(7));
}

TEST(Queue, LeavesNoTimerBehind) {
  io::ManualLoop loop;
  SeededRandom random(1);
  {
    Queue queue(loop, random);
    queue.add_after(key("a"), seconds(1));
    EXPECT_EQ(loop.pending(), 1U);
  }
  EXPECT_EQ(loop.pending(), 0U);
}

TEST(Queue, KeysOfLostWorkersWaitAgain) {
  Bench b;
  b.queue.add(key("a"));
  EXPECT_EQ(b.take(), "a");
  b.queue.forget_workers();
  EXPECT_EQ(b.take(), "a");
}

}  // namespace
}  // namespace davit::runtime
