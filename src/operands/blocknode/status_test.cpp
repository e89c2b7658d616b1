// Conditions, the hold time, Stalled, ingest, and the rule that a quiet node causes no writes.
#include "operands/blocknode/status.hpp"

#include <gmock/gmock.h>

#include "operands/blocknode/test_nodes.hpp"

namespace davit::blocknode {
namespace {

using namespace testing;  // NOLINT
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

Round with_height(std::uint64_t last, std::int64_t publishers = 1) {
  Round round = good_round();
  round.heights = ServerStatus{0, last};
  round.publishers = publishers;
  return round;
}

std::string ingesting(const Healthy& healthy) {
  const StatusUpdate update = healthy.update();
  const Condition& c = condition(update, "Ingesting");
  return c.status + "/" + c.reason;
}

TEST(Status, HealthyNodeIsReadyWithFieldsFilled) {
  const StatusUpdate update = Healthy().update();
  EXPECT_EQ(condition(update, "Ready").status, "True");
  EXPECT_EQ(condition(update, "Reconciling").status, "False");
  EXPECT_EQ(condition(update, "Stalled").status, "False");
  EXPECT_EQ(condition(update, "ConfigurationApplied").status, "True");
  EXPECT_EQ(condition(update, "StorageHealthy").status, "True");
  EXPECT_EQ(condition(update, "DataProtected").status, "True");
  EXPECT_EQ(update.status.observed_generation, 1);
  EXPECT_EQ(update.status.first_block, 0);
  EXPECT_EQ(update.status.last_block, 99);
  EXPECT_EQ(update.status.version, "0.40.1");
  EXPECT_EQ(update.status.compatibility_version, "0.0.1");
  EXPECT_EQ(update.status.endpoint, "bn1.hiero.svc:40840");
  EXPECT_EQ(update.status.node_name, "worker-1");
  ASSERT_EQ(update.status.volumes.size(), 5U);
  EXPECT_EQ(update.status.volumes[0].claim, "bn1-live");
  EXPECT_EQ(update.status.volumes[0].size, "5Gi");
  EXPECT_EQ(update.status.volumes[0].used_percent, 10);
  EXPECT_EQ(update.status.free_percent, 90);
  EXPECT_TRUE(update.write);
}

TEST(Status, ReadyOnlyAfterTheHold) {
  Healthy healthy;
  healthy.memory = {};
  EXPECT_EQ(condition(healthy.store_and_advance(seconds(59)), "Ready").reason, "Verifying");
  EXPECT_EQ(condition(healthy.store_and_advance(seconds(1)), "Ready").status, "False");
  EXPECT_EQ(condition(healthy.update(), "Ready").status, "True");
}

TEST(Status, AFailedCheckStartsTheHoldAnew) {
  Healthy healthy;
  healthy.store_and_advance(seconds(10));
  Round round = good_round();
  round.silent_ports = {"grpc (40840)"};
  fold(healthy.snapshot.observation, round, healthy.snapshot.now);
  EXPECT_EQ(condition(healthy.store_and_advance(seconds(3)), "Ready").reason, "PortSilent");
  fold(healthy.snapshot.observation, good_round(), healthy.snapshot.now);
  EXPECT_EQ(condition(healthy.update(), "Ready").reason, "Verifying");
}

TEST(Status, RestartOfDavitKeepsReadyAndWritesNothing) {
  Healthy healthy;
  healthy.store_and_advance(minutes(1));
  healthy.memory = {};
  healthy.snapshot.observation = {};
  const StatusUpdate not_asked = healthy.update();
  EXPECT_EQ(condition(not_asked, "Ready").status, "True");
  EXPECT_FALSE(not_asked.write);
  fold(healthy.snapshot.observation, good_round(), healthy.snapshot.now);
  const StatusUpdate asked = healthy.update();
  EXPECT_EQ(condition(asked, "Ready").status, "True");
  EXPECT_FALSE(asked.write);
}

TEST(Status, ServerRestartedWhileDavitWasAwayHoldsAnew) {
  Healthy healthy;
  healthy.store_and_advance(minutes(1));
  healthy.memory = {};
  healthy.with_pod([&](json::object& pod) {
    json::object& status = *container_status(pod, "server");
    status["restartCount"] = 1;
    status["state"] =
        json::object{{"running", json::object{{"startedAt", format_time(healthy.snapshot.wall)}}}};
  });
  fold(healthy.snapshot.observation, good_round("pod-1/1"), healthy.snapshot.now);
  EXPECT_EQ(condition(healthy.update(), "Ready").reason, "Verifying");
}

TEST(Status, QuietNodeIsWrittenOnceAndNeverAgain) {
  Healthy healthy;
  for (VolumeReport& volume : healthy.snapshot.observation.last->agent->volumes) {
    volume.available_bytes = 905;
  }
  fold(healthy.snapshot.observation, with_height(99, 0), healthy.snapshot.now);
  int writes = 0;
  for (int i = 0; i < 360; ++i) {  // an hour
    fold(healthy.snapshot.observation, with_height(99, 0), healthy.snapshot.now);
    writes += healthy.store_and_advance(seconds(10)).write ? 1 : 0;
  }
  // Created, Ingesting known, PublishersLost after 5 minutes.
  EXPECT_LE(writes, 2);
}

TEST(Status, TenBlocksASecondCauseAtMostTwelveWritesAnHour) {
  Healthy healthy;
  healthy.store_and_advance(seconds(10));
  fold(healthy.snapshot.observation, with_height(150), healthy.snapshot.now);
  healthy.store_and_advance(seconds(10));
  int writes = 0;
  std::uint64_t height = 150;
  for (int i = 0; i < 360; ++i) {
    fold(healthy.snapshot.observation, with_height(height += 100), healthy.snapshot.now);
    writes += healthy.store_and_advance(seconds(10)).write ? 1 : 0;
  }
  EXPECT_GE(writes, 11);
  EXPECT_LE(writes, 12);
}

TEST(Status, HeightsRideAlongWithAConditionChange) {
  Healthy healthy;
  healthy.store_and_advance(seconds(10));
  Round round = with_height(120);
  round.agent->volumes[0].writable = false;
  round.agent->volumes[0].error = "No space left on device";
  fold(healthy.snapshot.observation, round, healthy.snapshot.now);
  const StatusUpdate update = healthy.update();
  EXPECT_TRUE(update.write);
  EXPECT_EQ(update.status.last_block, 120);
  EXPECT_EQ(condition(update, "StorageHealthy").reason, "VolumeFull");
  EXPECT_EQ(condition(update, "Stalled").reason, "VolumeFull");
  ASSERT_FALSE(update.events.empty());
  EXPECT_TRUE(update.events[0].warning);
  ASSERT_TRUE(update.status.last_error);
  EXPECT_THAT(*update.status.last_error, HasSubstr("VolumeFull: the live volume is full"));
}

TEST(Status, InvalidSpecLeavesTheRunningNodeReadyButStalled) {
  Healthy healthy;
  healthy.snapshot.problems = {{"spec.extraConfig[SERVER_PRT]", "unknown; nearest: SERVER_PORT"}};
  const StatusUpdate update = healthy.update();
  EXPECT_EQ(condition(update, "Ready").status, "True");
  EXPECT_EQ(condition(update, "ConfigurationApplied").reason, "ConfigurationInvalid");
  EXPECT_THAT(condition(update, "ConfigurationApplied").message, HasSubstr("SERVER_PORT"));
  EXPECT_THAT(condition(update, "ConfigurationApplied").message, HasSubstr("not changed"));
  EXPECT_EQ(condition(update, "Stalled").status, "True");
}

TEST(Status, InvalidNewNodeSaysThatNothingWasCreated) {
  Healthy healthy;
  healthy.snapshot.problems = {{"spec.version", "missing"}};
  healthy.snapshot.pod = nullptr;
  healthy.snapshot.statefulset = nullptr;
  const StatusUpdate update = healthy.update();
  EXPECT_EQ(condition(update, "Ready").reason, "ConfigurationInvalid");
  EXPECT_EQ(condition(update, "Reconciling").status, "False");
}

TEST(Status, ScanIsNotStalledForADay) {
  Healthy healthy;
  healthy.memory = {};
  healthy.snapshot.observation = {};
  healthy.with_pod(
      [](json::object& pod) { (*container_status(pod, "server"))["started"] = false; });
  Round round;
  round.run = "pod-1/0";
  round.health = fail(Code::kUnavailable, "refused");
  round.heights = fail(Code::kUnavailable, "refused");
  round.agent = AgentReport{};
  fold(healthy.snapshot.observation, round, kStart);
  healthy.store_and_advance(hours(23));
  const StatusUpdate late = healthy.update();
  EXPECT_EQ(condition(late, "Ready").reason, "Scanning");
  EXPECT_EQ(condition(late, "Stalled").status, "False");
  EXPECT_EQ(condition(late, "Reconciling").status, "True");
  healthy.store_and_advance(hours(2));
  EXPECT_EQ(condition(healthy.update(), "Stalled").status, "True");
}

TEST(Status, CrashLoopStallsAlthoughStartsInterruptIt) {
  Healthy healthy;
  const auto set_server = [&](json::object state) {
    healthy.with_pod([&](json::object& pod) {
      json::object& status = *container_status(pod, "server");
      status["state"] = std::move(state);
      status["started"] = false;
    });
  };
  for (int i = 0; i < 8; ++i) {
    set_server({{"terminated", json::object{{"exitCode", 1}, {"reason", "Error"}}}});
    healthy.store_and_advance(seconds(40));
    set_server({{"waiting", json::object{{"reason", "ContainerCreating"}}}});
    healthy.store_and_advance(seconds(5));
  }
  set_server({{"terminated", json::object{{"exitCode", 1}, {"reason", "Error"}}}});
  EXPECT_EQ(condition(healthy.update(), "Stalled").reason, "CrashLoop");
}

TEST(Status, MissingPermissionIsStalledAndTheNodeStaysReady) {
  Healthy healthy;
  healthy.snapshot.sights["poddisruptionbudgets"] = {
      false, Error(Code::kForbidden, "poddisruptionbudgets.policy is forbidden")};
  const StatusUpdate update = healthy.update();
  EXPECT_EQ(condition(update, "Ready").status, "True");
  EXPECT_EQ(condition(update, "Stalled").reason, "PermissionMissing");
  EXPECT_THAT(condition(update, "Stalled").message, HasSubstr("poddisruptionbudgets"));
}

TEST(Status, RefusedGrowthIsTold) {
  Healthy healthy;
  healthy.snapshot.failures = {{"grow to 6Gi persistentvolumeclaims/bn1-live",
                                Error(Code::kForbidden, "the storageclass must support resize")}};
  const StatusUpdate update = healthy.update();
  EXPECT_EQ(condition(update, "StorageHealthy").reason, "GrowRefused");
  EXPECT_EQ(condition(update, "Ready").status, "True");
}

TEST(Status, VolumeThatWouldBeDeletedIsTold) {
  Healthy healthy;
  healthy.snapshot.reclaim_policies["pv-live"] = "Delete";
  EXPECT_EQ(condition(healthy.update(), "DataProtected").reason, "Unprotected");
}

TEST(Ingest, AwaitsTheFirstPublisherOnAnEmptyNode) {
  Healthy healthy;
  healthy.snapshot.observation = {};
  Round round = good_round();
  round.heights = ServerStatus{};
  round.publishers = 0;
  round.block_problem.reset();
  fold(healthy.snapshot.observation, round, kStart);
  EXPECT_EQ(ingesting(healthy), "Unknown/AwaitingFirstPublisher");
  EXPECT_EQ(condition(healthy.update(), "Ready").status, "True");
}

TEST(Ingest, IsTrueWhileTheHeightGrows) {
  Healthy healthy;
  fold(healthy.snapshot.observation, with_height(100), healthy.snapshot.now);
  EXPECT_EQ(ingesting(healthy), "True/Ingesting");
}

TEST(Ingest, StandsStillWithAConnectedPublisherIsToldWithinThirtySeconds) {
  Healthy healthy;
  fold(healthy.snapshot.observation, with_height(100), healthy.snapshot.now);
  healthy.store_and_advance(seconds(10));
  fold(healthy.snapshot.observation, with_height(100), healthy.snapshot.now);
  EXPECT_EQ(ingesting(healthy), "True/Ingesting");
  healthy.store_and_advance(seconds(10));
  fold(healthy.snapshot.observation, with_height(100), healthy.snapshot.now);
  EXPECT_EQ(ingesting(healthy), "False/StandsStill");
  EXPECT_EQ(condition(healthy.update(), "Ready").status, "True");
}

TEST(Ingest, LostPublishersAreToldAfterFiveMinutes) {
  Healthy healthy;
  fold(healthy.snapshot.observation, with_height(100), healthy.snapshot.now);
  healthy.store_and_advance(seconds(10));
  fold(healthy.snapshot.observation, with_height(100, 0), healthy.snapshot.now);
  healthy.store_and_advance(minutes(4));
  EXPECT_EQ(ingesting(healthy), "True/Ingesting");
  healthy.store_and_advance(minutes(1));
  EXPECT_EQ(ingesting(healthy), "False/PublishersLost");
}

TEST(Ingest, IsNotJudgedOnTierTwo) {
  Healthy healthy;
  healthy.snapshot.node.spec.tier = 2;
  EXPECT_EQ(ingesting(healthy), "Unknown/NotJudged");
}

TEST(Observation, OneLostRoundIsNotBelieved) {
  Observation seen;
  fold(seen, good_round(), kStart);
  Round lost;
  lost.run = "pod-1/0";
  lost.health = fail(Code::kDeadlineExceeded, "");
  lost.heights = fail(Code::kDeadlineExceeded, "");
  lost.agent = fail(Code::kDeadlineExceeded, "");
  fold(seen, lost, kStart);
  EXPECT_FALSE(seen.last->lost());
  fold(seen, lost, kStart);
  EXPECT_TRUE(seen.last->lost());
}

TEST(Observation, ANewRunForgetsButForTheHeight) {
  Observation seen;
  fold(seen, good_round(), kStart);
  Round next = good_round("pod-1/1");
  next.detail.reset();
  next.health = fail(Code::kUnavailable, "refused");
  next.heights = fail(Code::kUnavailable, "refused");
  fold(seen, next, kStart);
  EXPECT_FALSE(seen.was_healthy);
  EXPECT_FALSE(seen.detail);
  EXPECT_EQ(seen.heights->last, 99U);
}

TEST(Observation, ReadsPublishersFromMetrics) {
  EXPECT_EQ(publisher_connections("# TYPE x gauge\nblocknode_publisher_open_connections 3\n"), 3);
  EXPECT_EQ(publisher_connections("blocknode_other 3\n"), std::nullopt);
}

}  // namespace
}  // namespace davit::blocknode
