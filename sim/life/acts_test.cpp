#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "sim/life/step.hpp"
#include "sim/life/world.hpp"

namespace davit::sim {
namespace {

using ::testing::HasSubstr;

std::string refusal(World& world, std::string_view act, std::string_view object = {},
                    json::object with = {}) {
  const Status done =
      perform(world, {Duration{0}, std::string(act), std::string(object), std::move(with)});
  if (done) return "(done)";
  EXPECT_EQ(done.error().code(), Code::kInvalid) << done.error().message();
  return done.error().message();
}

TEST(Acts, EachHasANameOfItsOwnAndASentence) {
  std::set<std::string_view> names;
  for (const Act& act : acts()) {
    EXPECT_TRUE(names.insert(act.name).second) << act.name;
    EXPECT_TRUE(act.help.ends_with('.')) << act.name;
  }
  EXPECT_GT(names.size(), 25U);
}

TEST(Acts, RefuseWhatTheyCannotReadWithTheNearestRightName) {
  World world;
  EXPECT_THAT(refusal(world, "crush"),
              HasSubstr("there is no act \"crush\" (did you mean \"crash\"?)"));
  EXPECT_THAT(refusal(world, "create", "blocknode/bn1"),
              HasSubstr("serves no \"blocknode\" (did you mean \"blocknodes\"?)"));
  EXPECT_THAT(refusal(world, "create", "bn1"), HasSubstr("needs an object as plural/name"));
  EXPECT_EQ(refusal(world, "fault", "", {{"kind", "loose-reply"}}).substr(0, 45),
            "with.kind of \"fault\" is \"loose-reply\"; it mus");
  EXPECT_THAT(refusal(world, "fault", "", {{"kind", "loose-reply"}}),
              HasSubstr("did you mean \"lose-reply\"?"));
  EXPECT_THAT(refusal(world, "fault", "", {{"evry", 3}}),
              HasSubstr("does not take with.evry; it takes"));
  EXPECT_THAT(refusal(world, "server-down", "", {{"for", "long"}}),
              HasSubstr("it must be a duration such as 20s"));
  EXPECT_THAT(refusal(world, "crash", "", {{"replica", 3}}), HasSubstr("there is no replica 3"));
  EXPECT_THAT(refusal(world, "publish", "pods/bn1-0"), HasSubstr("happens to a BlockNode"));
}

TEST(Acts, ABadStepDoesNothing) {
  World world;
  world.start();
  (void)refusal(world, "server-down", "", {{"for", "1m"}, {"fro", "1m"}});
  world.server.clear_log();
  world.advance(std::chrono::seconds(5));
  EXPECT_FALSE(world.server.log().empty());
  EXPECT_LT(world.server.log().back().status, 300U);
}

TEST(Acts, AUserEditsAndUndoesIt) {
  World world;
  ASSERT_TRUE(perform(world, {Duration{0}, "create", "blocknodes/bn1", {}}));
  const auto backlog = [&] {
    const Object node = world.all({"davit.hiero.org", "v1alpha1", "BlockNode", "blocknodes"})[0];
    return std::string(wire::find_string(*node, "spec.extraConfig.SERVER_BACKLOG_SIZE", "none"));
  };
  EXPECT_EQ(backlog(), "none");
  ASSERT_TRUE(perform(world, {Duration{0},
                              "restart",
                              "blocknodes/bn1",
                              {{"setting", "SERVER_BACKLOG_SIZE"}, {"value", "256"}}}));
  EXPECT_EQ(backlog(), "256");
  ASSERT_TRUE(perform(world, {Duration{0}, "revert", "blocknodes/bn1", {}}));
  EXPECT_EQ(backlog(), "none");
}

TEST(Acts, WhatTheServerRefusesIsNotABadStep) {
  World world;
  const Status done = perform(world, {Duration{0}, "delete", "blocknodes/none", {}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code(), Code::kNotFound);
}

TEST(Network, EveryThirdWriteLosesItsReplyAndNothingElse) {
  World world;
  world.start();
  world.advance(std::chrono::seconds(2));
  ASSERT_TRUE(
      perform(world, {Duration{0},
                      "fault",
                      "",
                      {{"kind", "fail-before"}, {"verb", "write"}, {"every", 3}, {"for", "1h"}}}));
  world.server.clear_log();
  ASSERT_TRUE(perform(world, {Duration{0}, "create", "blocknodes/bn1", {}}));
  world.advance(std::chrono::seconds(1));
  std::size_t writes = 0;
  for (const RequestInfo& info : world.server.log()) {
    if (!info.is_write) continue;
    ++writes;
    EXPECT_EQ(info.status == 0, writes % 3 == 0) << info.target;
  }
  EXPECT_GT(writes, 3U);
}

TEST(Network, CalmEndsEveryFault) {
  World world;
  world.start();
  ASSERT_TRUE(perform(world, {Duration{0}, "server-down", "", {{"for", "1h"}}}));
  ASSERT_TRUE(perform(world, {Duration{0}, "halt", "", {{"what", "kubelet"}, {"for", "1h"}}}));
  ASSERT_TRUE(perform(world, {Duration{0}, "forbid", "pods", {{"for", "1h"}}}));
  ASSERT_TRUE(perform(world, {Duration{0}, "stop", "", {}}));
  ASSERT_TRUE(perform(world, {Duration{0}, "create", "blocknodes/bn1", {}}));
  world.advance(std::chrono::minutes(1));
  world.calm();
  world.advance(std::chrono::minutes(5));
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
}

}  // namespace
}  // namespace davit::sim
