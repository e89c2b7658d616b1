// What only a process of our own shows: files, signals, ports that are taken, faults.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <thread>

#include "standin/blocknode/contract/contract.hpp"
#include "standin/blocknode/contract/http_get.hpp"
#include "standin/blocknode/contract/local_node.hpp"
#include "standin/blocknode/tools/node_client.hpp"

namespace davit::standin {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

const LocalNode::Variables kSmallZips = {
    {"FILES_HISTORIC_POWERS_OF_TEN_PER_ZIP_FILE_CONTENTS", "1"},
    {"FILES_RECENT_BLOCK_RETENTION_THRESHOLD", "25"}};

void publish_blocks(const LocalNode& node, int count) {
  expect_equal(node.run_tool("publish --rate 0 --to " + node.grpc_address() + " --count " +
                             std::to_string(count)),
               0, "publish");
}

org::hiero::block::api::ServerStatusResponse status_of(const LocalNode& node) {
  const auto status = server_status(open_channel(node.grpc_address()));
  expect(status.has_value(), "no answer from serverStatus");
  return *status;
}

void put_fault(const LocalNode& node, const std::string& lines) {
  fs::create_directories(node.folder() + "/logs");
  std::ofstream(node.folder() + "/logs/standin-faults") << lines;
  std::this_thread::sleep_for(milliseconds(800));
}

void stop(LocalNode& node) {
  node.signal(SIGTERM);
  const auto code = node.wait_exit(seconds(1));
  expect(code.has_value(), "still there a second after SIGTERM");
  expect_equal(*code, 143, "exit code");
}

void empty_then_published_then_restarted(const std::string& program) {
  LocalNode node(program);
  node.start();
  node.wait_ready();
  expect_equal(status_of(node).first_available_block(), kNone, "first of an empty node");
  expect_equal(status_of(node).last_available_block(), kNone, "last of an empty node");
  expect_equal(status_of(node).next_expected_block(), kNone, "next of an empty node");
  publish_blocks(node, 20);
  expect_equal(status_of(node).last_available_block(), 19U, "last");
  expect_equal(status_of(node).next_expected_block(), 20U, "next");
  stop(node);
  node.start();
  node.wait_ready();
  expect_equal(status_of(node).last_available_block(), 19U, "last after a restart");
  expect_equal(status_of(node).next_expected_block(), kNone, "next after a restart");
  publish_blocks(node, 5);
  expect_equal(node.run_tool("subscribe --from " + node.grpc_address()), 0, "subscribe");
}

void layout(const std::string& program) {
  LocalNode node(program);
  node.start(kSmallZips);
  node.wait_ready();
  publish_blocks(node, 65);
  std::this_thread::sleep_for(milliseconds(300));
  const fs::path data = fs::path(node.folder()) / "data";
  for (const char* name : {"00", "10", "20", "30", "40", "50"}) {
    expect(fs::exists(data / "historic/000/000/000/000/000/00" / (std::string(name) + ".zip")),
           std::string("no zip ") + name);
  }
  const fs::path live = data / "live/000/000/000/000/000/0";
  expect(!fs::exists(live / "0000000000000000039.blk.zstd"), "block 39 is still live");
  expect(fs::exists(live / "0000000000000000040.blk.zstd"), "block 40 is not live");
  expect(fs::exists(data / "historic/staging/000/000/000/000/000/0/0000000000000000064.blk.zstd"),
         "block 64 is not staged");
  for (const char* name : {"historic/links", "historic/zipwork", "live/links"}) {
    expect(fs::is_empty(data / name), std::string(name) + " is not empty");
  }
  expect(fs::exists(fs::path(node.folder()) / "application-state/tss-bootstrap-roster.json"),
         "no trust material on disk");
}

void sigterm(const std::string& program) {
  LocalNode node(program);
  node.start();
  node.wait_ready();
  publish_blocks(node, 3);
  stop(node);
  expect(node.log().find("Shutdown requested by JVM shutting down") != std::string::npos &&
             node.log().find("Shutdown finished") != std::string::npos,
         "the two shutdown lines are not in the log");
  expect(!fs::exists(fs::path(node.folder()) / "application-state/block-ranges.json"),
         "block-ranges.json was written");
}

void server_port_taken(const std::string& program) {
  LocalNode first(program);
  first.start();
  first.wait_ready();
  LocalNode second(program);
  second.start({{"SERVER_PORT", std::to_string(first.target().grpc)}});
  second.wait_ready();
  expect(second.log().find("Failed to start listener") != std::string::npos, "nothing logged");
}

void metrics_port_taken(const std::string& program) {
  LocalNode first(program);
  first.start();
  first.wait_ready();
  LocalNode second(program);
  second.start({{"JAVA_OPTS", "-Dmetrics.exporter.openmetrics.http.port=" +
                                  std::to_string(first.target().metrics)}});
  expect_equal(second.wait_exit(seconds(5)).value_or(-1), 1, "exit code");
}

void health_port_equals_server_port(const std::string& program) {
  LocalNode node(program);
  node.start({{"HEALTH_PORT", std::to_string(node.target().grpc)}});
  std::this_thread::sleep_for(milliseconds(1500));
  expect_equal(status_of(node).last_available_block(), kNone, "last");
  expect(node.log().find("Failed to start listener") != std::string::npos, "nothing logged");
}

void setting_out_of_range(const std::string& program) {
  LocalNode node(program);
  node.start({{"HEALTH_BACKLOG_SIZE", "1"}, {"BACKFILL_MAX_RETRIES", "11"}});
  expect_equal(node.wait_exit(seconds(5)).value_or(-1), 1, "exit code");
  const std::string log = node.log();
  const auto at = log.find("2 violations");
  expect(at != std::string::npos, "the number of violations is not logged");
  expect(log.find("acklog", at) == std::string::npos, "a key is named");
}

void unusable_live_root(const std::string& program) {
  LocalNode node(program);
  std::ofstream(node.folder() + "/file") << "x";
  node.start({{"FILES_RECENT_LIVE_ROOT_PATH", node.folder() + "/file"}});
  std::this_thread::sleep_for(milliseconds(1500));
  expect(!node.wait_exit(milliseconds(0)), "the process is gone");
  const Target& target = node.target();
  expect_equal(http_request(target.host, target.metrics, "/metrics").status, 200, "metrics");
  expect_equal(http_request(target.host, target.health, "/healthz/livez").status, 0, "health");
  expect(node.log().find("SEVERE") != std::string::npos, "no SEVERE line");
}

void second_scrape(const std::string& program) {
  LocalNode node(program);
  node.start({{"STANDIN_SLOW_METRICS_MILLIS", "700"}});
  node.wait_ready();
  const Target& target = node.target();
  HttpResult first;
  std::thread scraper([&] { first = http_request(target.host, target.metrics, "/metrics"); });
  std::this_thread::sleep_for(milliseconds(200));
  const HttpResult second = http_request(target.host, target.metrics, "/metrics");
  scraper.join();
  expect_equal(first.status, 200, "first scrape");
  expect_equal(second.status, 429, "second scrape");
  expect(second.head.find("Retry-After: 3\r\n") != std::string::npos, "no Retry-After: 3");
}

void full_disk(const std::string& program) {
  LocalNode node(program);
  node.start();
  node.wait_ready();
  publish_blocks(node, 5);
  put_fault(node, "full-disk-bytes=0\n");
  expect_equal(
      node.run_tool("publish --rate 0 --count 1 --in-flight 3 --to " + node.grpc_address(), 2), 124,
      "publish on a full disk");
  const Target& target = node.target();
  expect_equal(http_request(target.host, target.health, "/healthz/readyz").status, 200, "readyz");
  expect_equal(status_of(node).last_available_block(), 4U, "last");
  expect(status_of(node).next_expected_block() > 5U, "next did not run past last");
  const fs::path left =
      fs::path(node.folder()) / "data/live/000/000/000/000/000/0/0000000000000000005.blk.zstd";
  expect(fs::exists(left) && fs::file_size(left) == 0, "no empty file of block 5");
  put_fault(node, "");
  publish_blocks(node, 5);
  expect_equal(node.run_tool("subscribe --from " + node.grpc_address()), 0, "subscribe");
}

void stalled_ingest(const std::string& program) {
  LocalNode node(program);
  node.start();
  node.wait_ready();
  publish_blocks(node, 3);
  put_fault(node, "stall-ingest\n");
  expect_equal(node.run_tool("publish --rate 20 --count 1 --to " + node.grpc_address(), 2), 124,
               "publish to a stalled node");
  expect_equal(status_of(node).last_available_block(), 2U, "last");
  put_fault(node, "");
  publish_blocks(node, 3);
}

void own_ports(const std::string& program) {
  LocalNode node(program);
  const auto port = [] { return std::to_string(free_port()); };
  const LocalNode::Variables ports = {{"PRODUCER_PORT", port()},
                                      {"SUBSCRIBER_PORT", port()},
                                      {"BLOCK_ACCESS_PORT", port()},
                                      {"SERVER_STATUS_PORT", port()}};
  node.start(ports);
  node.wait_ready();
  const auto at = [&](const char* name) { return "127.0.0.1:" + ports.at(name); };
  expect_equal(
      node.run_tool("publish --rate 0 --count 5 --to " + at("PRODUCER_PORT") + " --access " +
                    at("BLOCK_ACCESS_PORT") + " --status " + at("SERVER_STATUS_PORT")),
      0, "publish");
  expect_equal(node.run_tool("subscribe --from " + at("SUBSCRIBER_PORT") + " --status " +
                             at("SERVER_STATUS_PORT")),
               0, "subscribe");
  expect(!server_status(open_channel(node.grpc_address())), "status is still on SERVER_PORT");
}

}  // namespace

std::vector<Check> local_checks(const std::string& program) {
  const auto check = [&](const char* name, const char* source,
                         void (*function)(const std::string&)) {
    return Check{name, source, [function, program] { function(program); }};
  };
  return {
      check("status of an empty, a fed and a restarted node", "14",
            empty_then_published_then_restarted),
      check("files lie as measured: live, staging, zips, state", "7, 14", layout),
      check("SIGTERM to the process: 143 within a second, two lines, no ranges file", "14",
            sigterm),
      check("SERVER_PORT taken: logged, RUNNING, readyz 200", "14", server_port_taken),
      check("metrics port taken: exit 1", "14", metrics_port_taken),
      check("HEALTH_PORT equal to SERVER_PORT does not stop it", "14",
            health_port_equals_server_port),
      check("a setting out of range: exit 1, only the number is logged", "14",
            setting_out_of_range),
      check("an unusable live root: alive, metrics only", "14", unusable_live_root),
      check("a second scrape at the same time: 429 and Retry-After: 3", "6.5, 14", second_scrape),
      check("full live volume: PERSISTENCE_FAILED, readyz 200, empty files", "14", full_disk),
      check("stalled ingest: connected, nothing acknowledged, recovers", "issue: faults",
            stalled_ingest),
      check("every service on a port of its own", "6.6", own_ports),
  };
}

}  // namespace davit::standin
