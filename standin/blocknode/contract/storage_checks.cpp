// Blocks, files and disks: what only a node of our own shows.
#include "standin/blocknode/contract/steps.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kLive = "data/live/000/000/000/000/000/0/";
constexpr const char* kRoster = "application-state/tss-bootstrap-roster.json";

const Node::Variables kSmallZips = {{"FILES_HISTORIC_POWERS_OF_TEN_PER_ZIP_FILE_CONTENTS", "1"},
                                    {"FILES_RECENT_BLOCK_RETENTION_THRESHOLD", "25"}};

std::string block_file(unsigned number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 19 - digits.size(), '0');
  return digits + ".blk.zstd";
}

void empty_then_published_then_restarted(Lab& lab) {
  const auto node = ready_node(lab);
  expect_equal(status_of(*node).first_available_block(), kNone, "first of an empty node");
  expect_equal(status_of(*node).last_available_block(), kNone, "last of an empty node");
  expect_equal(status_of(*node).next_expected_block(), kNone, "next of an empty node");
  publish_blocks(*node, 20);
  expect_equal(status_of(*node).first_available_block(), 0U, "first");
  expect_equal(status_of(*node).last_available_block(), 19U, "last");
  expect_equal(status_of(*node).next_expected_block(), 20U, "next");
  stop(*node);
  node->start();
  node->wait_ready();
  expect_equal(status_of(*node).last_available_block(), 19U, "last after a restart");
  expect_equal(status_of(*node).next_expected_block(), kNone, "next after a restart");
  publish_blocks(*node, 5);
  verify_blocks(*node);
}

void cold_start_with_publishers(Lab& lab) {
  const auto node = ready_node(lab);
  publish_blocks(*node, 20);
  const std::string metrics = node->http(node->target().metrics, "/metrics").body;
  const std::string name = "\nblocknode_verification_blocks_failed_total ";
  const auto at = metrics.find(name);
  expect(at != std::string::npos, "no verification_blocks_failed");
  expect(std::strtod(metrics.c_str() + at + name.size(), nullptr) > 0,
         "no block came before the trust material was loaded");
  verify_blocks(*node);
}

void layout(Lab& lab) {
  const auto node = ready_node(lab, kSmallZips);
  publish_blocks(*node, 65);
  node->wait(milliseconds(300));
  for (const char* name : {"00", "10", "20", "30", "40", "50"}) {
    expect(node->file_size(std::string("data/historic/000/000/000/000/000/00/") + name + ".zip")
               .has_value(),
           std::string("no zip ") + name);
  }
  expect(!node->file_size(kLive + block_file(39)), "block 39 is still live");
  expect(node->file_size(kLive + block_file(40)).has_value(), "block 40 is not live");
  expect(
      node->file_size("data/historic/staging/000/000/000/000/000/0/" + block_file(64)).has_value(),
      "block 64 is not staged");
  for (const char* name : {"historic/links", "historic/zipwork", "live/links"}) {
    expect(node->is_empty(std::string("data/") + name), std::string(name) + " is not empty");
  }
  expect(node->file_size(kRoster).has_value(), "no trust material on disk");
  verify_blocks(*node);
}

void unusable_live_root(Lab& lab) {
  const auto node = ready_node(lab);
  node->write_file("logs/file", "x");
  stop(*node);
  node->start({{"FILES_RECENT_LIVE_ROOT_PATH", node->base() + "/logs/file"}});
  for (int i = 0; i < 100 && !has_logged(*node, "SEVERE"); ++i) node->wait(milliseconds(50));
  expect(has_logged(*node, "SEVERE"), "no SEVERE line");
  expect(!node->exit_code(), "the process is gone");
  const Target target = node->target();
  expect_equal(node->http(target.metrics, "/metrics").status, 200, "metrics");
  expect_equal(node->http(target.health, "/healthz/livez").status, 0, "health");
  expect(!node->server_status(target.status), "status is answered");
}

void full_disk(Lab& lab) {
  const auto node = ready_node(lab);
  publish_blocks(*node, 5);
  node->set_faults("full-disk-bytes=0\n");
  expect(!node->publish(1, seconds(2)), "a block was acknowledged on a full disk");
  expect_equal(node->http(node->target().health, "/healthz/readyz").status, 200, "readyz");
  expect_equal(status_of(*node).last_available_block(), 4U, "last");
  expect(status_of(*node).next_expected_block() > 5U, "next did not run past last");
  expect_equal(node->file_size(kLive + block_file(5)).value_or(1), 0U, "size of block 5's file");
  node->set_faults("");
  publish_blocks(*node, 5);
  verify_blocks(*node);
}

void empty_files_count(Lab& lab) {
  const auto node = ready_node(lab);
  publish_blocks(*node, 5);
  node->set_faults("full-disk-bytes=0\n");
  expect(!node->publish(1, seconds(2)), "a block was acknowledged on a full disk");
  node->set_faults("");
  stop(*node);
  node->start();
  node->wait_ready();
  if (node->starts_through_wrapper()) {
    expect_equal(status_of(*node).last_available_block(), 4U,
                 "last, after the wrapper put the empty file aside");
    expect(!node->file_size(kLive + block_file(5)), "the empty file is still there");
    return;
  }
  expect(status_of(*node).last_available_block() > 4U, "the empty file does not count");
  api::BlockRequest request;
  request.set_block_number(5);
  const auto reply = node->get_block(node->target().access, request);
  expect(reply.has_value(), "no answer from getBlock");
  expect_equal(api::BlockResponse::Code_Name(reply->status()), "SUCCESS", "getBlock");
  expect(reply->block().items().empty(), "the block has items");
}

void broken_roster(Lab& lab) {
  const auto node = ready_node(lab);
  stop(*node);
  node->write_file(kRoster, "broken");
  node->start();
  node->wait_ready();
  expect_equal(node->read_file(kRoster), "{}", "trust material");
}

void stalled_ingest(Lab& lab) {
  const auto node = ready_node(lab);
  publish_blocks(*node, 3);
  node->set_faults("stall-ingest\n");
  expect(!node->publish(1, seconds(2)), "a stalled node acknowledged a block");
  expect_equal(status_of(*node).last_available_block(), 2U, "last");
  node->set_faults("");
  publish_blocks(*node, 3);
}

}  // namespace

std::vector<Check> storage_checks() {
  return {
      {"status of an empty, a fed and a restarted node", "14", empty_then_published_then_restarted},
      {"cold start with publishers: BAD_BLOCK_PROOF, then resent", "14",
       cold_start_with_publishers},
      {"files lie as measured: live, staging, zips, state", "7, 14", layout},
      {"an unusable live root: alive, metrics only", "14", unusable_live_root},
      {"full live volume: PERSISTENCE_FAILED, readyz 200, empty files", "14", full_disk},
      {"after a restart an empty file counts as a block, unless the wrapper was there", "14",
       empty_files_count},
      {"a broken roster file is overwritten without a word", "14", broken_roster},
      {"stalled ingest: connected, nothing acknowledged, recovers", "issue: faults",
       stalled_ingest},
  };
}

}  // namespace davit::standin
