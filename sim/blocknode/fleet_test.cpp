// The life of a pod: start, publish, stop, crash, restart, faults.
#include <gmock/gmock.h>

#include "sim/blocknode/fleet_rig.hpp"

namespace davit::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr const char* kNode = "hiero/bn1";

class FleetLife : public testing::Test {
 protected:
  FleetRig rig_;
};

TEST_F(FleetLife, PortsOpenInTheOrderOfARunningServer) {
  rig_.boot();
  EXPECT_EQ(rig_.look("copy-start").exit_code, 0);
  EXPECT_FALSE(rig_.look().exit_code);
  EXPECT_TRUE(rig_.ask(rig_.fleet.metrics(rig_.address(16007), rig_.soon())));
  EXPECT_EQ(rig_.ask(rig_.fleet.server_status(rig_.grpc(), rig_.soon())).error().code(),
            Code::kUnavailable);
  EXPECT_FALSE(rig_.probe("server", "startupProbe"));
  EXPECT_FALSE(rig_.truth().running);
  rig_.advance(milliseconds(650));  // after the scan and 0.3 s more
  EXPECT_TRUE(rig_.ask(rig_.fleet.server_status(rig_.grpc(), rig_.soon())));
  EXPECT_EQ(rig_.ask(rig_.fleet.health(rig_.health(), rig_.soon())).error().code(),
            Code::kUnavailable);
  rig_.advance(seconds(1));
  EXPECT_EQ(rig_.ask(rig_.fleet.health(rig_.health(), rig_.soon()))->status, 200u);
  EXPECT_TRUE(rig_.probe("server", "readinessProbe"));
  EXPECT_TRUE(rig_.truth().running);
  EXPECT_EQ(rig_.truth().version, "0.40.1");
  EXPECT_EQ(rig_.truth().starts, 1u);
}

TEST_F(FleetLife, ASettledServerNeedsNothing) {
  rig_.boot_ready();
  EXPECT_EQ(rig_.loop.pending(), 0u);
  EXPECT_FALSE(rig_.look().again);
}

TEST_F(FleetLife, BlocksArriveAtTheRateAskedForAndStopWithThePublisher) {
  rig_.boot_ready();
  rig_.fleet.publish(kNode, 5);
  rig_.advance(seconds(20));
  const auto last = rig_.last();
  ASSERT_TRUE(last);
  EXPECT_GE(*last, 85u);  // the first second ends with a proof that cannot be checked yet
  EXPECT_EQ(rig_.truth().last, last);
  EXPECT_EQ(rig_.truth().publishers, 1u);
  rig_.fleet.publish(kNode, 0);
  EXPECT_EQ(rig_.truth().publishers, 0u);
  rig_.advance(seconds(20));
  EXPECT_EQ(rig_.last(), last);
  EXPECT_EQ(rig_.loop.pending(), 0u);
}

TEST_F(FleetLife, SigtermEndsTheProcessWith143AndARestartKeepsTheBlocks) {
  rig_.boot_ready();
  rig_.fleet.publish(kNode, 5);
  rig_.advance(seconds(10));
  const auto last = rig_.last();
  EXPECT_TRUE(rig_.fleet.terminate(rig_.at("server")));
  EXPECT_TRUE(rig_.look().again);
  rig_.advance(milliseconds(700));
  EXPECT_EQ(rig_.look().exit_code, 143);
  EXPECT_FALSE(rig_.probe("server", "livenessProbe"));
  EXPECT_EQ(rig_.ask(rig_.fleet.health(rig_.health(), rig_.soon())).error().code(),
            Code::kUnavailable);
  rig_.restart_server();
  rig_.advance(seconds(10));
  EXPECT_GT(rig_.last(), last);  // the publisher came back by itself
  EXPECT_EQ(rig_.truth().first, 0u);
  EXPECT_EQ(rig_.truth().starts, 2u);
}

TEST_F(FleetLife, BlocksOutliveThePodAndItsClaim) {
  rig_.boot_ready();
  rig_.fleet.publish(kNode, 5);
  rig_.advance(seconds(10));
  rig_.fleet.publish(kNode, 0);
  const auto last = rig_.last();
  const auto held = rig_.fleet.blocks_on("pv-bn1-live");
  EXPECT_EQ(held, *last + 1);
  EXPECT_EQ(rig_.truth().disks.at("live"), "pv-bn1-live");
  rig_.kill_pod();
  EXPECT_FALSE(rig_.truth().running);
  rig_.erase(kube::kPersistentVolumeClaims, {"hiero", "bn1-live"});
  EXPECT_EQ(rig_.fleet.blocks_on("pv-bn1-live"), held);
  rig_.bind("bn1-live", "pv-bn1-live");
  rig_.boot_ready();
  EXPECT_EQ(rig_.last(), last);
}

TEST_F(FleetLife, ACrashIsAnExitCodeAndTheNextStartIsAGoodOne) {
  rig_.boot_ready();
  rig_.fleet.set_faults(kNode, {.crash = true});
  EXPECT_EQ(rig_.look().exit_code, 1);
  EXPECT_THAT(rig_.look().message, HasSubstr("crash"));
  rig_.restart_server();
  rig_.advance(seconds(5));
  EXPECT_FALSE(rig_.look().exit_code);
  rig_.fleet.set_faults(kNode, {.crash = true});
  EXPECT_EQ(rig_.look().exit_code, 1) << "a second crash is one too";
}

TEST_F(FleetLife, ACrashOnStartLastsUntilItIsTakenBack) {
  rig_.fleet.set_faults(kNode, {.crash_on_start = true});
  rig_.boot();
  EXPECT_EQ(rig_.look().exit_code, 1);
  rig_.restart_server();
  EXPECT_EQ(rig_.look().exit_code, 1);
  rig_.fleet.set_faults(kNode, {});
  rig_.restart_server();
  EXPECT_FALSE(rig_.look().exit_code);
}

TEST_F(FleetLife, AFatalErrorOfAPluginEndsInAnOrderlyStop) {
  rig_.boot_ready();
  rig_.fleet.set_faults(kNode, {.fatal = true});
  EXPECT_EQ(rig_.ask(rig_.fleet.health(rig_.health(), rig_.soon()))->status, 503u);
  rig_.advance(seconds(30));
  EXPECT_EQ(rig_.look().exit_code, 0);
}

TEST_F(FleetLife, AHangInTheScanGoesOnWhenTakenBack) {
  rig_.fleet.set_faults(kNode, {.hang_in_scan = true});
  rig_.boot();
  rig_.advance(std::chrono::hours(1));
  EXPECT_FALSE(rig_.probe("server", "startupProbe"));
  EXPECT_FALSE(rig_.look().exit_code);
  rig_.fleet.set_faults(kNode, {});
  rig_.advance(seconds(2));
  EXPECT_TRUE(rig_.probe("server", "startupProbe"));
}

TEST_F(FleetLife, AnUnhealthyServerFailsItsProbesAndStaysUp) {
  rig_.boot_ready();
  rig_.fleet.set_faults(kNode, {.unhealthy = true});
  EXPECT_FALSE(rig_.probe("server", "livenessProbe"));
  EXPECT_FALSE(rig_.look().exit_code);
  rig_.fleet.set_faults(kNode, {});
  EXPECT_TRUE(rig_.probe("server", "livenessProbe"));
}

TEST_F(FleetLife, AStalledNodeKeepsItsPublishersAndStandsStill) {
  rig_.boot_ready();
  rig_.fleet.publish(kNode, 2);
  rig_.advance(seconds(10));
  rig_.fleet.set_faults(kNode, {.stall_ingest = true});
  const auto last = rig_.last();
  rig_.advance(seconds(30));
  EXPECT_EQ(rig_.last(), last);
  EXPECT_EQ(rig_.truth().publishers, 1u);
  rig_.fleet.set_faults(kNode, {});
  rig_.advance(seconds(10));
  EXPECT_GT(rig_.last(), last);
}

TEST_F(FleetLife, ASettingOutOfRangeEndsTheStart) {
  blocknode::BlockNode node = blocknode::testing::sample_node();
  node.spec.extra_config = {{"BACKFILL_MAX_RETRIES", "11"}};
  FleetRig rig(node);
  rig.boot();
  EXPECT_EQ(rig.look().exit_code, 1);
  EXPECT_THAT(rig.look().message, HasSubstr("1 violations"));
}

TEST_F(FleetLife, AnImageOfAnotherVersionHasNoSuchProgram) {
  blocknode::BlockNode node = blocknode::testing::sample_node();
  node.spec.image.emplace().tag = "0.41.0";
  FleetRig rig(node);
  rig.boot();
  EXPECT_EQ(rig.look().exit_code, 78);
  EXPECT_THAT(rig.look().message, HasSubstr("ServerNotFound"));
  EXPECT_EQ(rig.report().start->reason, "ServerNotFound");
  EXPECT_EQ(rig.truth().starts, 0u);
}

TEST_F(FleetLife, WithoutTheWrapperThereIsNothingToStart) {
  rig_.boot();
  json::object pod = rig_.pod;
  pod["metadata"].as_object()["uid"] = "pod-without-init";
  rig_.fleet.start({&pod, "server"});
  EXPECT_EQ(rig_.fleet.look({&pod, "server"}).exit_code, 128);
}

TEST_F(FleetLife, TheAgentIsReadyWhenEveryPortSpeaks) {
  rig_.boot();
  EXPECT_FALSE(rig_.probe("agent", "readinessProbe"));
  EXPECT_TRUE(rig_.probe("agent", "livenessProbe"));
  rig_.advance(seconds(6));
  EXPECT_TRUE(rig_.probe("agent", "readinessProbe"));
  rig_.fleet.set_faults(kNode, {.crash = true});
  rig_.advance(seconds(6));
  EXPECT_FALSE(rig_.probe("agent", "readinessProbe"));
}

TEST_F(FleetLife, TwoServersOnOneDiskAreSeen) {
  rig_.boot_ready();
  EXPECT_FALSE(rig_.truth().shares_a_disk);
  // The pod's object is gone, its processes are not: a node that was cut off.
  rig_.erase(kube::kPods, {"hiero", "bn1-0"});
  rig_.boot();
  EXPECT_TRUE(rig_.truth().shares_a_disk);
}

TEST_F(FleetLife, ALifeIsTheSameEveryTime) {
  const auto life = [] {
    FleetRig rig;
    rig.boot();
    rig.fleet.publish(kNode, 3);
    std::string out;
    for (int i = 0; i < 20; ++i) {
      const auto status = rig.ask(rig.fleet.server_status(rig.grpc(), rig.soon()));
      out += std::to_string(rig.loop.now().since_epoch.count()) + ":" +
             (status ? std::to_string(status->last.value_or(0)) : status.error().message()) + "\n";
      rig.advance(milliseconds(700));
    }
    return out;
  };
  EXPECT_EQ(life(), life());
}

}  // namespace
}  // namespace davit::sim
