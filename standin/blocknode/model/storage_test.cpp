// What is on disk, what status says of it, and the lies of a full disk.
#include <gmock/gmock.h>

#include "standin/blocknode/model/model_fixture.hpp"

namespace davit::standin {
namespace {

using org::hiero::block::api::BlockRequest;
using org::hiero::block::api::BlockResponse;
using org::hiero::block::api::SubscribeStreamResponse;
using EndOfStream = org::hiero::block::api::PublishStreamResponse::EndOfStream;
using testing::ElementsAre;
using namespace std::chrono_literals;

class Storage : public ModelFixture {
 protected:
  BlockResponse get(BlockNumber number) {
    BlockRequest request;
    request.set_block_number(number);
    return node_->get_block(request);
  }

  std::string live_file(BlockNumber number) const {
    return "/bn/data/live/" + block_path(number, {});
  }

  const Environment small_zips_ = {{"FILES_HISTORIC_POWERS_OF_TEN_PER_ZIP_FILE_CONTENTS", "1"},
                                   {"FILES_RECENT_BLOCK_RETENTION_THRESHOLD", "25"}};
};

TEST_F(Storage, AnEmptyNodeSaysUint64MaxEverywhere) {
  boot_ready();
  const auto status = node_->server_status();
  EXPECT_EQ(status.first_available_block(), kNone);
  EXPECT_EQ(status.last_available_block(), kNone);
  EXPECT_EQ(status.next_expected_block(), kNone);
  EXPECT_TRUE(status.only_latest_state());
}

TEST_F(Storage, NextExpectedIsInMemoryOnly) {
  boot_ready();
  fill(0, 19);
  EXPECT_EQ(node_->server_status().first_available_block(), 0U);
  EXPECT_EQ(node_->server_status().last_available_block(), 19U);
  EXPECT_EQ(node_->server_status().next_expected_block(), 20U);
  boot_ready();
  EXPECT_EQ(node_->server_status().last_available_block(), 19U);
  EXPECT_EQ(node_->server_status().next_expected_block(), kNone);
}

TEST_F(Storage, SixtyFiveBlocksLieAsMeasured) {
  boot_ready(small_zips_);
  fill(0, 64);
  run_for(1s);
  for (const char* zip : {"00", "10", "20", "30", "40", "50"}) {
    EXPECT_TRUE(
        volume_.exists(std::string("/bn/data/historic/000/000/000/000/000/00/") + zip + ".zip"));
  }
  EXPECT_FALSE(volume_.exists(live_file(39)));
  EXPECT_TRUE(volume_.exists(live_file(40)));
  EXPECT_FALSE(volume_.exists("/bn/data/historic/staging/" + block_path(59, {})));
  EXPECT_TRUE(volume_.exists("/bn/data/historic/staging/" + block_path(60, {})));
  EXPECT_TRUE(volume_.list("/bn/data/historic/zipwork")->empty());
  for (BlockNumber number = 0; number <= 64; ++number) {
    ASSERT_EQ(get(number).status(), BlockResponse::SUCCESS) << number;
    EXPECT_EQ(get(number).block().SerializeAsString(), chain(number).SerializeAsString());
  }
}

TEST_F(Storage, ARestartFindsEverythingAndEmptiesTheWorkDirectories) {
  boot_ready(small_zips_);
  fill(0, 64);
  run_for(1s);
  ASSERT_TRUE(volume_.write("/bn/data/historic/zipwork/60.zip", "half"));
  ASSERT_TRUE(volume_.write("/bn/data/live/links/x", "y"));
  boot_ready(small_zips_);
  EXPECT_FALSE(volume_.exists("/bn/data/historic/zipwork/60.zip"));
  EXPECT_FALSE(volume_.exists("/bn/data/live/links/x"));
  EXPECT_EQ(get(7).status(), BlockResponse::SUCCESS);
  fill(65, 69);
  run_for(1s);
  EXPECT_TRUE(volume_.exists("/bn/data/historic/000/000/000/000/000/00/60.zip"));
}

TEST_F(Storage, AfterARestartAHoleBetweenZipsIsAdvertisedAndNotFound) {
  boot_ready(small_zips_);
  fill(0, 64);
  run_for(1s);
  ASSERT_TRUE(volume_.remove("/bn/data/historic/000/000/000/000/000/00/20.zip"));
  boot_ready(small_zips_);
  const auto detail = node_->server_status_detail(now_);
  ASSERT_EQ(detail.available_ranges_size(), 1);
  EXPECT_EQ(detail.available_ranges(0).range_start(), 0U);
  EXPECT_EQ(get(25).status(), BlockResponse::NOT_FOUND);
  EXPECT_EQ(get(65).status(), BlockResponse::NOT_AVAILABLE);
}

TEST_F(Storage, AnUnreadableNewestZipIsQuarantined) {
  boot_ready(small_zips_);
  fill(0, 64);
  run_for(1s);
  ASSERT_TRUE(volume_.write("/bn/data/historic/000/000/000/000/000/00/50.zip", "broken"));
  boot_ready(small_zips_);
  EXPECT_EQ(volume_.list("/bn/data/historic/corrupted")->size(), 1U);
  EXPECT_TRUE(logged("corrupted"));
}

TEST_F(Storage, HistoricRetentionCountsZips) {
  Environment environment = small_zips_;
  environment["FILES_HISTORIC_BLOCK_RETENTION_THRESHOLD"] = "2";
  boot_ready(environment);
  fill(0, 64);
  run_for(1s);
  EXPECT_EQ(node_->server_status().first_available_block(), 40U);
}

TEST_F(Storage, AFullLiveVolumeFailsPersistenceLeavesEmptyFilesAndLiesAfterARestart) {
  boot_ready();
  fill(0, 22);
  volume_.limit("/bn/data/live", volume_.used("/bn/data/live"));
  for (BlockNumber number = 23; number <= 26; ++number) {
    const SessionId id = node_->open_publisher();
    send(id, chain(number));
    EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::PERSISTENCE_FAILED);
    EXPECT_EQ(last_reply().end_stream().block_number(), 22U);
  }
  EXPECT_EQ(volume_.size(live_file(24)), 0U);
  EXPECT_EQ(node_->server_status().last_available_block(), 22U);
  EXPECT_EQ(node_->server_status().next_expected_block(), 27U);
  EXPECT_EQ(node_->health("/healthz/readyz", now_).status, 200);

  boot_ready();
  EXPECT_EQ(node_->server_status().last_available_block(), 26U);
  EXPECT_EQ(get(24).status(), BlockResponse::SUCCESS);
  EXPECT_EQ(get(24).block().items_size(), 0);
}

TEST_F(Storage, AFullDiskThatIsFreedGoesOnWhereItStopped) {
  boot_ready();
  fill(0, 4);
  node_->set_faults({.full_disk_bytes = 0}, now_);
  const SessionId id = node_->open_publisher();
  send(id, chain(5));
  EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::PERSISTENCE_FAILED);
  node_->set_faults({}, now_);
  fill(5, 8);
  EXPECT_EQ(node_->last_available(), 8U);
  EXPECT_EQ(get(5).block().SerializeAsString(), chain(5).SerializeAsString());
}

TEST_F(Storage, TheTrustMaterialSurvivesARestart) {
  boot_ready();
  fill(0, 0);
  boot_ready();
  EXPECT_EQ(node_->server_status_detail(now_).tss_data().ledger_id(),
            network_trust({}).ledger_id());
  const SessionId id = node_->open_publisher();
  send(id, chain(1));
  EXPECT_EQ(last_reply().acknowledgement().block_number(), 1U);
}

TEST_F(Storage, BlockRangesAreWrittenEveryThousandBlocksAndReadBack) {
  boot_ready();
  fill(0, 998);
  EXPECT_FALSE(volume_.exists("/bn/application-state/block-ranges.json"));
  fill(999, 999);
  EXPECT_TRUE(volume_.exists("/bn/application-state/block-ranges.json"));
  fill(1000, 1001);
  boot_ready();
  const auto detail = node_->server_status_detail(now_);
  ASSERT_EQ(detail.stored_ranges_size(), 1);
  EXPECT_EQ(detail.stored_ranges(0).range_end(), 999U);
}

TEST_F(Storage, CompressionNoneWritesPlainFiles) {
  boot_ready({{"FILES_RECENT_COMPRESSION", "NONE"}});
  fill(0, 0);
  EXPECT_EQ(volume_.read("/bn/data/live/" + block_path(0, {3, false})),
            chain(0).SerializeAsString());
  EXPECT_EQ(get(0).status(), BlockResponse::SUCCESS);
}

TEST_F(Storage, RequestsOfBlocksThatMakeNoSense) {
  boot_ready();
  EXPECT_EQ(node_->get_block({}).status(), BlockResponse::INVALID_REQUEST);
  EXPECT_EQ(get(0).status(), BlockResponse::NOT_AVAILABLE);
  fill(0, 3);
  BlockRequest latest;
  latest.set_retrieve_latest(true);
  EXPECT_EQ(*block_number(node_->get_block(latest).block()), 3U);
}

TEST_F(Storage, SubscriptionsThatCannotBeServedEndWithACode) {
  boot_ready();
  fill(0, 3);
  EXPECT_EQ(node_->refuse_subscription(0, 3), std::nullopt);
  EXPECT_EQ(node_->refuse_subscription(4, kNone), std::nullopt);
  EXPECT_EQ(node_->refuse_subscription(3, 2), SubscribeStreamResponse::INVALID_END_BLOCK_NUMBER);
  EXPECT_EQ(node_->refuse_subscription(5000, kNone),
            SubscribeStreamResponse::INVALID_START_BLOCK_NUMBER);
}

TEST_F(Storage, StatusDetailListsPluginsAndVersions) {
  boot_ready({{"VERSION", "0.40.1"}});
  const auto versions = node_->server_status_detail(now_).version_information();
  EXPECT_EQ(versions.block_node_version().minor(), 40);
  EXPECT_EQ(versions.block_node_version().patch(), 1);
  EXPECT_EQ(versions.installed_plugin_versions_size(), 12);
}

}  // namespace
}  // namespace davit::standin
