// What publishers are told.
#include <gmock/gmock.h>

#include "standin/blocknode/model/model_fixture.hpp"

namespace davit::standin {
namespace {

using EndOfStream = org::hiero::block::api::PublishStreamResponse::EndOfStream;
using namespace std::chrono_literals;

class Publish : public ModelFixture {};

TEST_F(Publish, AVerifiedAndStoredBlockIsAcknowledgedToEveryPublisher) {
  boot_ready();
  const SessionId a = node_->open_publisher();
  const SessionId b = node_->open_publisher();
  send(a, chain(0));
  ASSERT_EQ(replies_.size(), 2U);
  EXPECT_EQ(replies_[0].session, a);
  EXPECT_EQ(replies_[1].session, b);
  EXPECT_EQ(last_reply().acknowledgement().block_number(), 0U);
  EXPECT_EQ(last_reply().acknowledgement().block_root_hash(), to_bytes(block_root(chain(0))));
}

TEST_F(Publish, BlocksBeforeTheTrustMaterialIsLoadedAreBadProofs) {
  boot_ready();
  const SessionId id = node_->open_publisher();
  send(id, chain(0));
  send(id, chain(1));
  EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::BAD_BLOCK_PROOF);
  EXPECT_EQ(last_reply().end_stream().block_number(), 0U);
  run_for(500ms);
  fill(1, 1);
  EXPECT_EQ(last_reply().acknowledgement().block_number(), 1U);
}

TEST_F(Publish, ABadProofEndsTheStreamAndTheBlockIsTakenFromTheNext) {
  boot_ready();
  fill(0, 2);
  const SessionId id = node_->open_publisher();
  Block bad = chain(3);
  bad.mutable_items(2)->mutable_signed_transaction()->back() ^= 1;
  send(id, bad);
  EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::BAD_BLOCK_PROOF);
  EXPECT_EQ(last_reply().end_stream().block_number(), 2U);
  EXPECT_TRUE(replies_.back().last);
  fill(3, 3);
  EXPECT_EQ(node_->last_available(), 3U);
}

TEST_F(Publish, AFutureBlockIsAnsweredWithBehind) {
  boot_ready();
  const SessionId id = node_->open_publisher();
  send(id, chain(5));
  EXPECT_EQ(last_reply().node_behind_publisher().block_number(), kNone);
  fill(0, 2);
  send(id, chain(5));
  EXPECT_EQ(last_reply().node_behind_publisher().block_number(), 2U);
}

TEST_F(Publish, DuplicatesInsideTheWindowAreSkippedOlderOnesEndTheStream) {
  boot_ready();
  fill(0, 10);
  const SessionId id = node_->open_publisher();
  send(id, chain(10));
  EXPECT_EQ(last_reply().skip_block().block_number(), 10U);
  send(id, chain(5));
  EXPECT_EQ(last_reply().skip_block().block_number(), 5U);
  send(id, chain(4));
  EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::DUPLICATE_BLOCK);
  EXPECT_EQ(last_reply().end_stream().block_number(), 10U);
}

TEST_F(Publish, ABlockThatAnotherPublisherSendsIsSkippedAndAskedForWhenThatOneFails) {
  boot_ready();
  fill(0, 1);
  const SessionId a = node_->open_publisher();
  const SessionId b = node_->open_publisher();
  send_header(a, chain(2));
  send_header(b, chain(2));
  EXPECT_EQ(last_reply().skip_block().block_number(), 2U);
  node_->close_publisher(a);
  collect();
  EXPECT_EQ(replies_.back().session, b);
  EXPECT_EQ(last_reply().resend_block().block_number(), 2U);
  send(b, chain(2));
  EXPECT_EQ(last_reply().acknowledgement().block_number(), 2U);
}

TEST_F(Publish, BelowTheEarliestManagedBlockIsADuplicateAndTheFirstOneNeedsTrust) {
  ASSERT_TRUE(volume_.make_directories("/bn/application-state"));
  boot_ready();
  fill(0, 0);  // leaves the trust material on disk
  volume_.remove("/bn/data/live/" + block_path(0, {}));
  volume_.remove("/bn/data/historic/staging/" + block_path(0, {}));
  boot_ready({{"BLOCK_NODE_EARLIEST_MANAGED_BLOCK", "4"}});
  const SessionId id = node_->open_publisher();
  send(id, chain(5));
  EXPECT_EQ(last_reply().node_behind_publisher().block_number(), kNone);
  send(id, chain(3));
  EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::DUPLICATE_BLOCK);
  EXPECT_EQ(last_reply().end_stream().block_number(), 3U);
  fill(4, 6);
  EXPECT_EQ(node_->server_status().first_available_block(), 4U);
  EXPECT_EQ(node_->server_status().last_available_block(), 6U);
}

TEST_F(Publish, StalledIngestAcknowledgesNothingAndRecovers) {
  boot_ready();
  fill(0, 2);
  node_->set_faults({.stall_ingest = true}, now_);
  const auto before = replies_.size();
  const SessionId id = node_->open_publisher();
  for (BlockNumber number = 3; number < 8; ++number) send(id, chain(number));
  EXPECT_EQ(replies_.size(), before);
  EXPECT_EQ(node_->last_available(), 2U);
  EXPECT_THAT(node_->metrics_text(now_),
              testing::HasSubstr("blocknode_publisher_open_connections 1\n"));
  node_->set_faults({}, now_);
  send(id, chain(8));
  EXPECT_EQ(last_reply().node_behind_publisher().block_number(), 2U);
  send(id, chain(3));
  EXPECT_EQ(node_->last_available(), 3U);
}

TEST_F(Publish, TheLinkIsCheckedAgainstTheDiskAfterARestart) {
  boot_ready();
  fill(0, 3);
  boot_ready();
  const SessionId id = node_->open_publisher();
  send(id, make_block({}, 4, sha384("another chain")));
  EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::BAD_BLOCK_PROOF);
  fill(4, 4);
  EXPECT_EQ(node_->last_available(), 4U);
}

TEST_F(Publish, ItemsWithoutAHeaderAreDropped) {
  boot_ready();
  const SessionId id = node_->open_publisher();
  Request request;
  request.mutable_block_items()->add_block_items()->set_signed_transaction("x");
  node_->publish(id, request, now_);
  collect();
  EXPECT_TRUE(replies_.empty());
  EXPECT_THAT(node_->metrics_text(now_),
              testing::HasSubstr("blocknode_publisher_stream_sets_dropped_total 1\n"));
}

TEST_F(Publish, AnEmptyRequestIsInvalid) {
  boot_ready();
  const SessionId id = node_->open_publisher();
  node_->publish(id, Request(), now_);
  collect();
  EXPECT_EQ(last_reply().end_stream().status(), EndOfStream::INVALID_REQUEST);
}

}  // namespace
}  // namespace davit::standin
