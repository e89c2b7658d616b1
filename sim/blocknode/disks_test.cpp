// Disks under a node: whose they are, how full, and how long they live.
#include <gmock/gmock.h>

#include "sim/blocknode/fleet_rig.hpp"

namespace davit::sim {
namespace {

using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* kNode = "hiero/bn1";

class FleetDisks : public testing::Test {
 protected:
  void boot_with_blocks() {
    rig_.boot_ready();
    rig_.fleet.publish(kNode, 5);
    rig_.advance(seconds(10));
  }

  FleetRig rig_;
};

TEST_F(FleetDisks, AVolumeOfAnotherNodeIsRefusedAndLeftAlone) {
  boot_with_blocks();
  const blocknode::BlockNode other = blocknode::testing::sample_node("bn2");
  rig_.install(other);
  rig_.bind("bn2-live", "pv-bn1-live");
  const json::object pod = rig_.boot(other);
  EXPECT_EQ(rig_.fleet.look({&pod, "server"}).exit_code, 78);
  EXPECT_THAT(rig_.fleet.look({&pod, "server"}).message,
              testing::AllOf(HasSubstr("VolumeIdentityMismatch"), HasSubstr("hiero/bn1")));
  EXPECT_FALSE(rig_.fleet.truth("hiero/bn2").running);
}

TEST_F(FleetDisks, AnEmptiedDiskBesideAMarkedOneIsRefused) {
  boot_with_blocks();
  rig_.fleet.empty_disk(kNode, "live");
  EXPECT_EQ(rig_.fleet.blocks_on("pv-bn1-live"), 0u);
  // The server that runs has its index and no files.
  const auto block = rig_.ask(rig_.fleet.block(rig_.grpc(), 3, rig_.soon()));
  EXPECT_EQ(block.error().code(), Code::kNotFound);
  rig_.fleet.set_faults(kNode, {.crash = true});
  rig_.restart_server();
  EXPECT_EQ(rig_.look().exit_code, 78);
  EXPECT_THAT(rig_.look().message, HasSubstr("replaced or emptied"));
}

TEST_F(FleetDisks, AFullDiskStopsIngestLeavesEmptyFilesAndGrowthHealsIt) {
  boot_with_blocks();
  rig_.fleet.fill_disk(kNode, "live", true);
  const auto last = rig_.last();
  rig_.advance(seconds(11));
  EXPECT_EQ(rig_.last(), last);
  EXPECT_EQ(rig_.ask(rig_.fleet.health(rig_.health(), rig_.soon()))->status, 200u);
  EXPECT_FALSE(rig_.volume("live").writable);
  EXPECT_EQ(rig_.volume("live").error, "No space left on device");
  EXPECT_EQ(rig_.volume("live").used_percent(), 100);
  EXPECT_TRUE(rig_.volume("historic").writable);

  rig_.put_volume(blocknode::testing::sample_node(), "live", "2Gi");
  rig_.advance(seconds(11));
  EXPECT_TRUE(rig_.volume("live").writable);
  EXPECT_EQ(rig_.volume("live").total_bytes, 2'147'483'648U);
  EXPECT_GT(rig_.last(), last);
}

TEST_F(FleetDisks, EmptyBlockFilesAreQuarantinedAtTheNextStart) {
  boot_with_blocks();
  rig_.fleet.fill_disk(kNode, "live", true);
  rig_.advance(seconds(5));
  const auto last = rig_.last();
  rig_.fleet.fill_disk(kNode, "live", false);
  rig_.fleet.publish(kNode, 0);
  rig_.fleet.set_faults(kNode, {.crash = true});
  rig_.restart_server();
  rig_.advance(seconds(5));
  const auto start = rig_.report().start;
  ASSERT_TRUE(start);
  EXPECT_FALSE(start->refused);
  EXPECT_FALSE(start->quarantined.empty());
  EXPECT_THAT(start->quarantined[0], HasSubstr("live/000/"));
  EXPECT_EQ(rig_.last(), last) << "the empty file does not count as stored";
}

TEST_F(FleetDisks, DisksFillUpByBlocksAlone) {
  rig_.put_volume(blocknode::testing::sample_node(), "live", "64Mi");
  rig_.boot_ready();
  rig_.fleet.publish(kNode, 10);
  rig_.advance(seconds(10));
  const int early = rig_.volume("live").used_percent();
  EXPECT_GT(early, 0);
  rig_.advance(std::chrono::minutes(2));
  EXPECT_GT(rig_.volume("live").used_percent(), 90);
  EXPECT_LT(rig_.last(), 1000u);
}

TEST_F(FleetDisks, AReadOnlyDiskIsReportedAndRefusedAtTheNextStart) {
  boot_with_blocks();
  rig_.fleet.set_read_only(kNode, "applicationState", true);
  rig_.advance(seconds(11));
  EXPECT_EQ(rig_.volume("application-state").error, "Read-only file system");
  EXPECT_FALSE(rig_.probe("agent", "readinessProbe"));
  rig_.fleet.set_faults(kNode, {.crash = true});
  rig_.restart_server();
  EXPECT_EQ(rig_.look().exit_code, 78);
  EXPECT_THAT(rig_.look().message, HasSubstr("VolumeNotWritable"));
}

TEST_F(FleetDisks, ADiskGoesWithItsVolumeAndANamesakeIsANewOne) {
  boot_with_blocks();
  rig_.kill_pod();
  rig_.erase(kube::kPersistentVolumes, {"", "pv-bn1-live"});
  EXPECT_FALSE(rig_.fleet.blocks_on("pv-bn1-live"));
  rig_.put_volume(blocknode::testing::sample_node(), "live", "1Gi", "another");
  EXPECT_EQ(rig_.fleet.blocks_on("pv-bn1-live"), 0u);
}

TEST_F(FleetDisks, AFullDiskCanBeArrangedBeforeTheFirstPod) {
  rig_.fleet.fill_disk(kNode, "live", true);
  rig_.boot();
  EXPECT_EQ(rig_.look().exit_code, 78);
  EXPECT_THAT(rig_.look().message, HasSubstr("No space left"));
}

TEST_F(FleetDisks, TheMarkAndTheBlocksOutliveRestartsAndANewPod) {
  boot_with_blocks();
  rig_.fleet.publish(kNode, 0);
  const auto last = rig_.last();
  const auto mark = rig_.fleet.files(kNode, "live")->read("/.davit-volume.json");
  ASSERT_TRUE(mark);
  EXPECT_THAT(*mark, HasSubstr("hiero/bn1"));
  rig_.fleet.set_faults(kNode, {.crash = true});
  rig_.restart_server();
  rig_.advance(seconds(5));
  EXPECT_EQ(rig_.fleet.files(kNode, "live")->read("/.davit-volume.json"), mark);
  // The StatefulSet was made anew: another pod, the same claims.
  rig_.kill_pod();
  rig_.boot_ready();
  EXPECT_EQ(rig_.fleet.files(kNode, "live")->read("/.davit-volume.json"), mark);
  EXPECT_FALSE(rig_.report().start->refused);
  EXPECT_EQ(rig_.last(), last);
  EXPECT_EQ(rig_.truth().first, 0u);
  EXPECT_EQ(rig_.truth().starts, 3u);
}

TEST_F(FleetDisks, APodThatTakesTheDisksOfALivingOneIsRefusedAndHarmsNothing) {
  boot_with_blocks();
  const blocknode::BlockNode other = blocknode::testing::sample_node("bn2");
  rig_.install(other);
  for (const char* role : {"live", "historic", "application-state"}) {
    rig_.bind(fmt::format("bn2-{}", role), fmt::format("pv-bn1-{}", role));
  }
  const json::object pod = rig_.boot(other);
  EXPECT_EQ(rig_.fleet.look({&pod, "server"}).exit_code, 78);
  EXPECT_FALSE(rig_.truth().shares_a_disk);
  const auto before = rig_.truth().last;
  rig_.advance(seconds(5));
  EXPECT_GT(rig_.truth().last, before);
}

TEST_F(FleetDisks, SmallArchivesCountTheirBlocksOnce) {
  blocknode::BlockNode node = blocknode::testing::sample_node();
  node.spec.extra_config = {{"FILES_HISTORIC_POWERS_OF_TEN_PER_ZIP_FILE_CONTENTS", "1"},
                            {"FILES_RECENT_BLOCK_RETENTION_THRESHOLD", "25"}};
  FleetRig rig(node);
  rig.boot_ready();
  rig.fleet.publish(kNode, 10);
  rig.advance(seconds(10));
  const auto last = rig.last();
  EXPECT_EQ(rig.fleet.blocks_on("pv-bn1-live"), 25u);
  EXPECT_EQ(rig.fleet.blocks_on("pv-bn1-historic"), *last + 1);
  EXPECT_TRUE(rig.ask(rig.fleet.block(rig.grpc(), 3, rig.soon()))) << "from an archive";
}

}  // namespace
}  // namespace davit::sim
