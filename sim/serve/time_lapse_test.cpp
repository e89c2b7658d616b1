#include "sim/serve/time_lapse.hpp"

#include <gtest/gtest.h>

#include "io/manual_loop.hpp"
#include "sim/serve/bridge.hpp"
#include "sim/serve/time_control.hpp"
#include "sim/virtual_loop.hpp"

namespace davit::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

class TimeLapseTest : public ::testing::Test {
 public:
  // A wake would run after the virtual time of the tick.
  io::ManualLoop real;
  VirtualLoop world;
  TimeLapse time{real, [this](Duration passed) { world.advance(passed); }, 60};
  Monotonic begin = world.now();
};

TEST_F(TimeLapseTest, AMinuteASecond) {
  real.advance(seconds(2));
  EXPECT_NEAR(static_cast<double>((world.now() - begin) / milliseconds(1)), 120'000, 400);
  EXPECT_EQ(time.forgotten(), Duration{0});
}

TEST_F(TimeLapseTest, PausedTimeStandsButWhatIsDueRuns) {
  time.set_speed(0);
  bool ran = false;
  real.advance(seconds(1));
  world.post([&] { ran = true; });
  time.wake();
  real.advance(milliseconds(1));
  EXPECT_TRUE(ran);
  EXPECT_EQ(world.now(), begin);
}

// Its time passes also while a callback runs.
class BusyLoop final : public io::ManualLoop {
 public:
  [[nodiscard]] Monotonic now() const override { return ManualLoop::now() + busy; }
  Duration busy{0};
};

TEST(TimeLapse, ASlowWorldFallsBehindInsteadOfHurrying) {
  BusyLoop real;
  int strides = 0;
  TimeLapse time(
      real,
      [&](Duration passed) {
        if (passed > Duration{0} && ++strides <= 40) real.busy += milliseconds(50);
      },
      1000);
  real.advance(milliseconds(5));
  EXPECT_GT(time.forgotten(), seconds(500));
  EXPECT_LT(time.simulated(), seconds(300)) << "two seconds at a thousand times the speed";
}

TEST_F(TimeLapseTest, IsToldOverHttp) {
  const auto ask = [&](std::string method, std::string target) {
    return answer_time_control(time, world, {std::move(method), std::move(target)});
  };
  EXPECT_EQ(ask("GET", "/api"), std::nullopt);
  EXPECT_EQ(ask("GET", "/sim/time")->status, 200U);
  EXPECT_EQ(ask("POST", "/sim/time?speed=0")->status, 200U);
  EXPECT_EQ(time.speed(), 0);
  for (const char* bad : {"/sim/time", "/sim/time?speed=-1", "/sim/time?speed=fast",
                          "/sim/time?speed=1e9", "/sim/time?speed=nan"}) {
    EXPECT_EQ(ask("POST", bad)->status, 400U) << bad;
  }
  EXPECT_EQ(time.speed(), 0);
}

class TwoLoops : public ::testing::Test {
 public:
  static io::Task<int> answer_after(io::Loop& loop, Duration delay) {
    co_await io::sleep_for(loop, delay);
    co_return 42;
  }
  io::ManualLoop real;
  VirtualLoop world;
  int wakes = 0;
  Wake wake = [this] { ++wakes; };
};

TEST_F(TwoLoops, AnAnswerCrosses) {
  int got = 0;
  io::Scope scope(real);
  scope.spawn([](TwoLoops& t, int& out) -> io::Task<void> {
    out = co_await run_on(t.world, t.real, t.wake, answer_after(t.world, minutes(1)));
  }(*this, got));
  real.advance(milliseconds(1));
  EXPECT_EQ(wakes, 1);
  world.advance(minutes(1));
  EXPECT_EQ(got, 0) << "the real loop has not turned yet";
  real.advance(milliseconds(1));
  EXPECT_EQ(got, 42);
}

TEST_F(TwoLoops, WhoeverGoesAwayTakesTheOtherSideWithHim) {
  {
    io::Scope scope(real);
    scope.spawn([](TwoLoops& t) -> io::Task<void> {
      (void)co_await run_on(t.world, t.real, t.wake, answer_after(t.world, minutes(1)));
    }(*this));
    real.advance(milliseconds(1));
    world.run_ready();
    EXPECT_EQ(world.pending(), 1U);
  }
  EXPECT_EQ(world.pending(), 0U);
}

class Silence final : public io::BodyStream {
 public:
  explicit Silence(io::Loop& loop) : loop_(&loop) {}
  io::Task<Result<std::string>> read(io::Deadline deadline) override {
    co_await io::sleep_until(*loop_, deadline.at);
    co_return fail(Code::kDeadlineExceeded, "silence");
  }

 private:
  io::Loop* loop_;
};

TEST_F(TwoLoops, AWatchEndsByTheRealClock) {
  std::optional<Result<std::string>> got;
  auto body = bridge_body(world, real, wake, std::make_unique<Silence>(world),
                          io::Deadline::after(real, seconds(30)));
  io::Scope scope(real);
  scope.spawn([](io::BodyStream& b, std::optional<Result<std::string>>& out) -> io::Task<void> {
    out = co_await b.read(io::Deadline::never());
  }(*body, got));
  world.advance(std::chrono::hours(10));
  real.advance(seconds(29));
  EXPECT_FALSE(got.has_value());
  real.advance(seconds(2));
  ASSERT_TRUE(got.has_value());
  ASSERT_TRUE(got->has_value());
  EXPECT_EQ(**got, "") << "the end of a complete body";
}

}  // namespace
}  // namespace davit::sim
