#include "sim/life/world.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

std::string log_of(World& world) {
  std::string out;
  for (const RequestInfo& r : world.server.log()) {
    out += fmt::format("{} {} {} {} {}\n", r.at.since_epoch.count(), r.user, r.method, r.target,
                       r.status);
  }
  return out;
}

TEST(World, ABlockNodeBecomesReadyUnderTheRealOperator) {
  World world({.seed = 7});
  world.start();
  ASSERT_TRUE(world.apply("user", sample_block_node("bn1")));
  world.fleet.publish("hiero/bn1", 1);
  world.advance(minutes(5));
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving") << log_of(world);
  EXPECT_GT(world.davit_writes(), 5U);
}

TEST(World, TheSameSeedGivesTheSameLog) {
  const auto live = [](std::uint64_t seed) {
    World world({.seed = seed});
    world.start();
    (void)world.apply("user", sample_block_node("bn1"));
    world.advance(minutes(1));
    world.crash_soon();
    world.advance(minutes(1));
    return log_of(world);
  };
  EXPECT_EQ(live(3), live(3));
  EXPECT_NE(live(3), live(4));
}

TEST(World, WhatIsForbiddenIsRefusedUntilItIsAllowedAgain) {
  World world({.seed = 1});
  world.forbid(kube::kStatefulSets);
  world.start();
  (void)world.apply("user", sample_block_node("bn1"));
  world.advance(minutes(1));
  EXPECT_TRUE(world.all(kube::kStatefulSets).empty());
  EXPECT_FALSE(world.all(kube::kServices).empty());
  world.allow_all();
  world.advance(minutes(2));
  EXPECT_FALSE(world.all(kube::kStatefulSets).empty());
}

TEST(World, OfTwoReplicasOneWrites) {
  World world({.seed = 5, .replicas = 2});
  world.start(0);
  world.start(1);
  (void)world.apply("user", sample_block_node("bn1"));
  world.advance(minutes(2));
  unsigned writers = 0;
  for (const char* user : {"davit-0", "davit-1"}) {
    for (const RequestInfo& r : world.server.log()) {
      if (r.user == user && r.is_write && r.resource.starts_with("statefulsets")) {
        ++writers;
        break;
      }
    }
  }
  EXPECT_EQ(writers, 1U);
}

TEST(World, APausedProcessSendsNothingAndGoesOnAfterwards) {
  World world({.seed = 2});
  world.start();
  world.advance(seconds(5));
  world.pause(0, seconds(60), true);
  world.server.clear_log();
  (void)world.apply("user", sample_block_node("bn1"));
  world.advance(seconds(59));
  EXPECT_EQ(world.server.log().size(), 0U);
  world.advance(minutes(2));
  EXPECT_FALSE(world.all(kube::kStatefulSets).empty());
}

TEST(World, ACrashAfterAWriteLosesItsReply) {
  World world({.seed = 2});
  world.start();
  world.advance(seconds(5));
  world.crash_after_write(0, 2, seconds(30));
  world.server.clear_log();
  (void)world.apply("user", sample_block_node("bn1"));
  world.advance(seconds(29));
  EXPECT_FALSE(world.runs());
  EXPECT_GE(world.davit_writes(), 2U);
  world.advance(seconds(5));
  EXPECT_TRUE(world.runs());
  EXPECT_EQ(world.crashes(), 1U);
}

}  // namespace
}  // namespace davit::sim
