#include "sim/virtual_loop.hpp"

#include <gtest/gtest.h>

#include <string>

#include "sim/skewed_loop.hpp"

namespace davit::sim {
namespace {

using std::chrono::seconds;

std::string order_of_ties(VirtualLoop& loop) {
  std::string order;
  for (const char name : std::string("abcdefgh")) {
    loop.call_after(seconds(1), [&order, name] { order += name; });
  }
  loop.advance(seconds(1));
  return order;
}

TEST(VirtualLoop, WithoutASeedTiesKeepTheirOrder) {
  VirtualLoop loop;
  EXPECT_EQ(order_of_ties(loop), "abcdefgh");
}

TEST(VirtualLoop, TheSeedOrdersTies) {
  VirtualLoop one(1), same(1), other(2);
  const std::string order = order_of_ties(one);
  EXPECT_EQ(order_of_ties(same), order);
  EXPECT_NE(order_of_ties(other), order);
}

TEST(VirtualLoop, PostedCallbacksStayInOrder) {
  VirtualLoop loop(3);
  std::string order;
  for (const char name : std::string("abcdefgh")) loop.post([&order, name] { order += name; });
  loop.run_ready();
  EXPECT_EQ(order, "abcdefgh");
}

TEST(VirtualLoop, TheWallClockJumpsAlone) {
  VirtualLoop loop;
  const WallTime wall = loop.wall();
  const Monotonic now = loop.now();
  loop.jump_wall(seconds(-3600));
  EXPECT_EQ(loop.wall(), wall - seconds(3600));
  EXPECT_EQ(loop.now(), now);
}

TEST(SkewedLoop, TimersFireByItsOwnClock) {
  VirtualLoop loop;
  SkewedLoop fast(loop, seconds(30), seconds(1000), 2.0);
  bool fired = false;
  fast.call_after(seconds(10), [&] { fired = true; });
  loop.advance(seconds(4));
  EXPECT_FALSE(fired);
  loop.advance(seconds(2));
  EXPECT_TRUE(fired);
  EXPECT_EQ(fast.wall() - loop.wall(), seconds(30));
}

}  // namespace
}  // namespace davit::sim
