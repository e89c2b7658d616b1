// Starts, stops, settings and ports: what only a node of our own shows.
#include "standin/blocknode/contract/steps.hpp"

namespace davit::standin {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr const char* kMetricsProperty = "-Dmetrics.exporter.openmetrics.http.port=";

int http_status(Node& node, std::uint16_t port, const std::string& path) {
  return node.http(port, path).status;
}

void start_phases(Lab& lab) {
  const auto node = lab.fresh();
  node->start({{"STANDIN_HANG_IN_SCAN", "1"}});
  const Target target = node->target();
  HttpResult metrics;
  for (int i = 0; i < 100 && metrics.status != 200; ++i) {
    node->wait(milliseconds(20));
    metrics = node->http(target.metrics, "/metrics");
  }
  expect_equal(metrics.status, 200, "metrics while the plugins start");
  expect(metrics.body.find("app_state_status") == std::string::npos,
         "app_state_status is there from the first moment");
  expect_equal(http_status(*node, target.health, "/healthz/livez"), 0, "health before RUNNING");
  expect(!node->server_status(target.status), "status is answered before RUNNING");
  node->set_faults("hang-in-scan=off\n");
  node->wait_ready();
  expect(
      node->http(target.metrics, "/metrics").body.find("app_state_status 1") != std::string::npos,
      "app_state_status is not 1 when ready");
}

void sigterm(Lab& lab) {
  const auto node = ready_node(lab);
  publish_blocks(*node, 3);
  stop(*node);
  expect(has_logged(*node, "Shutdown requested by JVM shutting down") &&
             has_logged(*node, "Shutdown finished"),
         "the two shutdown lines are not in the log");
  expect(!node->file_size("application-state/block-ranges.json"), "block-ranges.json was written");
}

// Two processes on one host; the pods of the simulator have addresses of their own.
std::pair<std::unique_ptr<Node>, std::unique_ptr<Node>> two_on_one_host(Lab& lab) {
  auto first = ready_node(lab);
  auto second = lab.fresh();
  if (first->starts_through_wrapper()) {
    throw Skip{"in a pod of its own a server has all ports to itself"};
  }
  return {std::move(first), std::move(second)};
}

void server_port_taken(Lab& lab) {
  const auto [first, second] = two_on_one_host(lab);
  second->start({{"SERVER_PORT", std::to_string(first->target().grpc)}});
  second->wait_ready();
  expect(has_logged(*second, "Failed to start listener"), "nothing logged");
}

void metrics_port_taken(Lab& lab) {
  const auto [first, second] = two_on_one_host(lab);
  second->start({{"JAVA_OPTS", kMetricsProperty + std::to_string(first->target().metrics)}});
  expect_equal(second->wait_exit(seconds(5)).value_or(-1), 1, "exit code");
}

void health_port_equals_server_port(Lab& lab) {
  const auto node = lab.fresh();
  const std::string port = std::to_string(node->free_port());
  node->start({{"HEALTH_PORT", port}, {"SERVER_PORT", port}});
  for (int i = 0; i < 100 && !has_logged(*node, "Failed to start listener"); ++i) {
    node->wait(milliseconds(50));
  }
  expect(has_logged(*node, "Failed to start listener"), "nothing logged");
  expect_equal(status_of(*node).last_available_block(), kNone, "last");
}

void setting_out_of_range(Lab& lab) {
  const auto node = lab.fresh();
  node->start({{"HEALTH_BACKLOG_SIZE", "1"}, {"BACKFILL_MAX_RETRIES", "11"}});
  expect_equal(node->wait_exit(seconds(5)).value_or(-1), 1, "exit code");
  const std::string log = node->log();
  const auto at = log.find("2 violations");
  expect(at != std::string::npos, "the number of violations is not logged");
  expect(log.find("acklog", at) == std::string::npos, "a key is named");
}

void no_messaging_plugin(Lab& lab) {
  const auto node = ready_node(lab);
  node->write_file("app-0.40.1/plugins/health-0.40.1.jar", "jar");
  stop(*node);
  node->start();
  expect_equal(node->wait_exit(seconds(5)).value_or(-1), 1, "exit code");
}

void crash_and_fatal_error(Lab& lab) {
  const auto node = ready_node(lab);
  node->set_faults("crash\n");
  expect_equal(node->wait_exit(seconds(5)).value_or(-1), 1, "exit code of a crash");
  node->set_faults("");
  node->start();
  node->wait_ready();
  node->set_faults("fatal\n");
  expect_equal(node->wait_exit(seconds(30)).value_or(-1), 0, "exit code of a fatal error");
  expect(node->file_size("application-state/block-ranges.json").has_value(),
         "an orderly stop writes the ranges");
}

void unhealthy(Lab& lab) {
  const auto node = ready_node(lab);
  node->set_faults("unhealthy\n");
  expect_equal(http_status(*node, node->target().health, "/healthz/livez"), 503, "livez");
  expect_equal(http_status(*node, node->target().health, "/healthz/readyz"), 503, "readyz");
  expect(!node->exit_code(), "the process is gone");
  node->set_faults("");
  node->wait_ready();
}

void second_scrape(Lab& lab) {
  const auto node = ready_node(lab, {{"STANDIN_SLOW_METRICS_MILLIS", "700"}});
  const auto [first, second] = node->scrape_twice();
  expect_equal(first.status, 200, "first scrape");
  expect_equal(second.status, 429, "second scrape");
  expect(second.head.find("Retry-After: 3\r\n") != std::string::npos, "no Retry-After: 3");
}

void own_ports(Lab& lab) {
  const auto node = lab.fresh();
  Node::Variables ports;
  for (const char* name :
       {"PRODUCER_PORT", "SUBSCRIBER_PORT", "BLOCK_ACCESS_PORT", "SERVER_STATUS_PORT"}) {
    ports[name] = std::to_string(node->free_port());
  }
  node->start(ports);
  node->wait_ready();
  publish_blocks(*node, 5);
  verify_blocks(*node);
  const Target target = node->target();
  expect(!node->server_status(target.host + ":" + std::to_string(target.grpc)),
         "status is still on SERVER_PORT");
}

}  // namespace

std::vector<Check> life_checks() {
  return {
      {"start: metrics at once, state late, the other ports closed until then", "14", start_phases},
      {"SIGTERM to the process: 143 within a second, two lines, no ranges file", "14", sigterm},
      {"SERVER_PORT taken: logged, RUNNING, readyz 200", "14", server_port_taken},
      {"metrics port taken: exit 1", "14", metrics_port_taken},
      {"HEALTH_PORT equal to SERVER_PORT does not stop it", "14", health_port_equals_server_port},
      {"a setting out of range: exit 1, only the number is logged", "14", setting_out_of_range},
      {"no messaging plugin: exit 1", "14", no_messaging_plugin},
      {"a crash is exit 1, a plugin's fatal error an orderly exit 0", "1.2", crash_and_fatal_error},
      {"an unhealthy server answers 503 and stays", "6.4", unhealthy},
      {"a second scrape at the same time: 429 and Retry-After: 3", "6.5, 14", second_scrape},
      {"every service on a port of its own", "6.6", own_ports},
  };
}

}  // namespace davit::standin
