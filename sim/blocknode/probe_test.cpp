// What Davit hears: answers, silence, refusals, lies.
#include <gmock/gmock.h>

#include "sim/blocknode/fleet_rig.hpp"

namespace davit::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using Lie = Fleet::Lie;

constexpr const char* kNode = "hiero/bn1";

class FleetProbe : public testing::Test {
 protected:
  void SetUp() override {
    rig_.boot_ready();
    rig_.fleet.publish(kNode, 5);
    rig_.advance(seconds(10));
  }
  auto health() { return rig_.ask(rig_.fleet.health(rig_.health(), rig_.soon())); }
  auto status() { return rig_.ask(rig_.fleet.server_status(rig_.grpc(), rig_.soon())); }
  auto detail() { return rig_.ask(rig_.fleet.server_detail(rig_.grpc(), rig_.soon())); }
  auto block(std::uint64_t number) {
    return rig_.ask(rig_.fleet.block(rig_.grpc(), number, rig_.soon()));
  }
  auto metrics() { return rig_.ask(rig_.fleet.metrics(rig_.address(16007), rig_.soon())); }
  auto speaks(std::uint16_t port) {
    return rig_.ask(rig_.fleet.speaks(rig_.address(port), rig_.soon()));
  }

  FleetRig rig_;
};

TEST_F(FleetProbe, AnswersTakeAFewMilliseconds) {
  const Monotonic asked = rig_.loop.now();
  ASSERT_TRUE(health());
  EXPECT_GE(rig_.loop.now() - asked, milliseconds(1));
  EXPECT_LE(rig_.loop.now() - asked, milliseconds(5));
}

TEST_F(FleetProbe, AHealthyNodeAnswersEverything) {
  EXPECT_EQ(health()->body, "OK");
  EXPECT_EQ(status()->first, 0u);
  EXPECT_EQ(detail()->version, "0.40.1");
  EXPECT_THAT(detail()->plugins, testing::SizeIs(12));
  EXPECT_EQ(block(3)->number, 3u);
  EXPECT_GT(block(3)->items, 2u);
  EXPECT_THAT(*metrics(), HasSubstr("publisher_open_connections"));
  for (const int port : {40840, 40983, 16007, 40990}) {
    EXPECT_TRUE(speaks(static_cast<std::uint16_t>(port))) << port;
  }
  EXPECT_THAT(rig_.report().ports, testing::SizeIs(3));
}

TEST_F(FleetProbe, WhatIsNotThereIsNotFoundAndAClosedPortRefuses) {
  EXPECT_EQ(block(1'000'000).error().code(), Code::kNotFound);
  EXPECT_EQ(speaks(40984).error().code(), Code::kUnavailable);
  EXPECT_EQ(rig_.ask(rig_.fleet.health(rig_.grpc(), rig_.soon())).error().code(),
            Code::kUnavailable);
  EXPECT_EQ(rig_.ask(rig_.fleet.server_status(rig_.health(), rig_.soon())).error().code(),
            Code::kUnavailable);
}

TEST_F(FleetProbe, AnUnreachableNodeIsSilentForDavitAlone) {
  rig_.fleet.set_unreachable(kNode, true);
  const Monotonic asked = rig_.loop.now();
  EXPECT_EQ(health().error().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(rig_.loop.now() - asked, seconds(3));
  EXPECT_EQ(status().error().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(speaks(40840).error().code(), Code::kDeadlineExceeded);
  EXPECT_TRUE(rig_.probe("server", "readinessProbe"));
  EXPECT_TRUE(rig_.truth().running);
  rig_.fleet.set_unreachable(kNode, false);
  EXPECT_TRUE(health());
}

TEST_F(FleetProbe, AnAddressNobodyHasIsSilent) {
  rig_.kill_pod();
  EXPECT_EQ(health().error().code(), Code::kDeadlineExceeded);
}

TEST_F(FleetProbe, ADeadServerThatLooksHealthy) {
  rig_.fleet.set_lie(kNode, Lie::kHealthyWhileDead);
  EXPECT_EQ(health()->status, 200u);
  EXPECT_EQ(status().error().code(), Code::kUnavailable);
  EXPECT_FALSE(speaks(40840));
  EXPECT_TRUE(speaks(40983));
  EXPECT_TRUE(rig_.probe("server", "livenessProbe"));
  EXPECT_FALSE(rig_.truth().running);
}

TEST_F(FleetProbe, ANodeThatSaysItIsEmpty) {
  rig_.fleet.set_lie(kNode, Lie::kEmptyStatus);
  EXPECT_FALSE(status()->last);
  EXPECT_TRUE(rig_.truth().last);
  EXPECT_TRUE(block(3));
}

TEST_F(FleetProbe, ANodeThatNamesAnOldVersion) {
  rig_.fleet.set_lie(kNode, Lie::kOldVersion);
  EXPECT_EQ(detail()->version, "0.30.0");
  EXPECT_EQ(rig_.truth().version, "0.40.1");
}

TEST_F(FleetProbe, ANodeThatAnswersNonsense) {
  rig_.fleet.set_lie(kNode, Lie::kGarbage);
  EXPECT_EQ(health()->status, 200u);
  EXPECT_NE(health()->body, "OK");
  EXPECT_EQ(status().error().code(), Code::kInvalid);
  EXPECT_EQ(detail().error().code(), Code::kInvalid);
  EXPECT_EQ(block(3).error().code(), Code::kInvalid);
  EXPECT_THAT(*metrics(), HasSubstr("html"));
}

TEST_F(FleetProbe, ASlowNodeAnswersLateOrTooLate) {
  rig_.fleet.set_lie(kNode, Lie::kSlow);
  int late = 0;
  int too_late = 0;
  for (int i = 0; i < 20; ++i) {
    const Monotonic asked = rig_.loop.now();
    const auto reply = health();
    EXPECT_GE(rig_.loop.now() - asked, seconds(1));
    reply ? ++late : ++too_late;
  }
  EXPECT_GT(late, 0);
  EXPECT_GT(too_late, 0);
}

TEST_F(FleetProbe, ASecondScrapeAtTheSameTimeIsTurnedAway) {
  rig_.fleet.set_faults(kNode, {.slow_metrics_millis = 700});
  std::vector<Result<std::string>> answers;
  io::Scope scope(rig_.loop);
  const auto scrape = [](FleetRig& rig, std::vector<Result<std::string>>& out) -> io::Task<void> {
    out.push_back(co_await rig.fleet.metrics(rig.address(16007), rig.soon()));
  };
  scope.spawn(scrape(rig_, answers));
  scope.spawn(scrape(rig_, answers));
  rig_.advance(seconds(2));
  ASSERT_EQ(answers.size(), 2u);
  EXPECT_EQ(answers[0].error().code(), Code::kTooManyRequests);
  EXPECT_EQ(answers[0].error().retry_after(), seconds(3));
  EXPECT_TRUE(answers[1]);
}

TEST_F(FleetProbe, AScrapeThatIsAbandonedIsOver) {
  rig_.fleet.set_faults(kNode, {.slow_metrics_millis = 700});
  {
    io::Scope scope(rig_.loop);
    scope.spawn([](FleetRig& rig) -> io::Task<void> {
      (void)co_await rig.fleet.metrics(rig.address(16007), rig.soon());
    }(rig_));
    rig_.advance(milliseconds(300));
  }
  EXPECT_TRUE(metrics());
}

TEST_F(FleetProbe, ServicesOnPortsOfTheirOwn) {
  blocknode::BlockNode node = blocknode::testing::sample_node();
  node.spec.exposure.ports = "Split";
  FleetRig rig(node);
  rig.boot_ready();
  rig.fleet.publish(kNode, 5);
  rig.advance(seconds(5));
  const auto status = [&](std::uint16_t port) {
    return rig.ask(rig.fleet.server_status(rig.address(port), rig.soon()));
  };
  EXPECT_TRUE(status(blocknode::kServerStatusPort)->last);
  EXPECT_EQ(status(blocknode::kGrpcPort).error().code(), Code::kUnsupported);
  EXPECT_TRUE(rig.ask(rig.fleet.speaks(rig.grpc(), rig.soon())));
  EXPECT_TRUE(rig.truth().running);
}

}  // namespace
}  // namespace davit::sim
