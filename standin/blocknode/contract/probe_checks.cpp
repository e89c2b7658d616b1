// What Davit's probe makes of a node: over sockets it is ProbeClient, in the simulator the Fleet.
#include "standin/blocknode/contract/steps.hpp"

namespace davit::standin {
namespace {

using blocknode::Address;

Address grpc_of(const Node& node) { return {node.target().host, node.target().grpc}; }
Address health_of(const Node& node) { return {node.target().host, node.target().health}; }
Address metrics_of(const Node& node) { return {node.target().host, node.target().metrics}; }

std::string code(const auto& result) { return result ? "an answer" : result.error().describe(); }
void expect_code(const auto& result, Code wanted, const std::string& what) {
  expect(!result && result.error().code() == wanted,
         what + ": " + code(result) + ", expected " + std::string(to_string(wanted)));
}

void answers_of_a_serving_node(Lab& lab) {
  const auto node = ready_node(lab);
  blocknode::NodeProbe& probe = node->probe();
  const auto empty = node->ask(probe.server_status(grpc_of(*node), node->soon()));
  expect_equal(code(empty), "an answer", "status of an empty node");
  expect(!empty->first && !empty->last, "an empty node has heights");
  publish_blocks(*node, 5);
  const auto health = node->ask(probe.health(health_of(*node), node->soon()));
  expect(health && health->status == 200 && health->body == "OK", "health");
  const auto status = node->ask(probe.server_status(grpc_of(*node), node->soon()));
  expect_equal(code(status), "an answer", "status");
  expect(status->first == 0U && status->last == 4U, "heights are not 0 and 4");
  const auto detail = node->ask(probe.server_detail(grpc_of(*node), node->soon()));
  expect(detail.has_value(), "no detail");
  expect_equal(detail->version, "0.40.1", "version");
  expect_equal(detail->plugins.size(), 12U, "plugins");
  const auto block = node->ask(probe.block(grpc_of(*node), 3, node->soon()));
  expect(block && block->number == 3U && block->items > 2U && block->bytes > 0U, "block 3");
  const auto metrics = node->ask(probe.metrics(metrics_of(*node), node->soon()));
  expect(metrics && metrics->find("app_state_status 1") != std::string::npos, "metrics");
  for (const Address& port : {grpc_of(*node), health_of(*node), metrics_of(*node)}) {
    expect(node->ask(probe.speaks(port, node->soon())).has_value(),
           "port " + std::to_string(port.port) + " does not speak");
  }
}

void refusals(Lab& lab) {
  const auto node = ready_node(lab);
  blocknode::NodeProbe& probe = node->probe();
  const Address nobody{node->target().host, node->free_port()};
  expect_code(node->ask(probe.speaks(nobody, node->soon())), Code::kUnavailable, "closed port");
  expect_code(node->ask(probe.health(nobody, node->soon())), Code::kUnavailable, "closed port");
  expect_code(node->ask(probe.server_status(nobody, node->soon())), Code::kUnavailable,
              "closed port");
  expect_code(node->ask(probe.block(grpc_of(*node), 99, node->soon())), Code::kNotFound,
              "a block that is not there");
  expect_code(node->ask(probe.health(grpc_of(*node), node->soon())), Code::kUnavailable,
              "health of the gRPC port");
  expect_code(node->ask(probe.server_status(health_of(*node), node->soon())), Code::kUnavailable,
              "status of the health port");
}

void a_service_elsewhere(Lab& lab) {
  const auto node = lab.fresh();
  const std::uint16_t port = node->free_port();
  node->start({{"SERVER_STATUS_PORT", std::to_string(port)}});
  node->wait_ready();
  blocknode::NodeProbe& probe = node->probe();
  const Address there{node->target().host, port};
  expect(node->ask(probe.server_status(there, node->soon())).has_value(), "no status");
  expect_code(node->ask(probe.server_status(grpc_of(*node), node->soon())), Code::kUnsupported,
              "status where it is not served");
}

void a_node_that_starts(Lab& lab) {
  const auto node = lab.fresh();
  node->start({{"STANDIN_HANG_IN_SCAN", "1"}});
  blocknode::NodeProbe& probe = node->probe();
  for (int i = 0; i < 100 && !node->ask(probe.speaks(metrics_of(*node), node->soon())); ++i) {
    node->wait(std::chrono::milliseconds(20));
  }
  expect(node->ask(probe.metrics(metrics_of(*node), node->soon())).has_value(), "no metrics");
  expect_code(node->ask(probe.health(health_of(*node), node->soon())), Code::kUnavailable,
              "health");
  expect_code(node->ask(probe.server_status(grpc_of(*node), node->soon())), Code::kUnavailable,
              "status");
}

void an_unhealthy_node(Lab& lab) {
  const auto node = ready_node(lab);
  node->set_faults("unhealthy\n");
  const auto health = node->ask(node->probe().health(health_of(*node), node->soon()));
  expect(health.has_value(), "503 is an answer, not a failure");
  expect_equal(health->status, 503U, "status");
  expect(node->ask(node->probe().server_status(grpc_of(*node), node->soon())).has_value(),
         "the other services stay");
}

void a_node_that_is_gone(Lab& lab) {
  const auto node = ready_node(lab);
  stop(*node);
  expect_code(node->ask(node->probe().health(health_of(*node), node->soon())), Code::kUnavailable,
              "health");
  expect_code(node->ask(node->probe().speaks(grpc_of(*node), node->soon())), Code::kUnavailable,
              "gRPC port");
}

void a_busy_metrics_port(Lab& lab) {
  const auto node = ready_node(lab, {{"STANDIN_SLOW_METRICS_MILLIS", "2000"}});
  const auto [first, second] = node->scrape_twice();
  expect_equal(first.status, 200, "first");
  expect_equal(second.status, 429, "second");
  const auto late = node->ask(node->probe().metrics(
      metrics_of(*node), {node->soon().at + std::chrono::milliseconds(-4500)}));
  expect_code(late, Code::kDeadlineExceeded, "an answer that takes too long");
}

}  // namespace

std::vector<Check> probe_checks() {
  return {
      {"probe: a serving node answers every question", "6.2 to 6.5", answers_of_a_serving_node},
      {"probe: closed ports, wrong ports and absent blocks", "6.2, 6.6", refusals},
      {"probe: a service on a port of its own", "6.6", a_service_elsewhere},
      {"probe: a node that starts has metrics and nothing else", "14", a_node_that_starts},
      {"probe: 503 is an answer", "6.4", an_unhealthy_node},
      {"probe: a node that is gone refuses", "14", a_node_that_is_gone},
      {"probe: a busy or slow metrics port", "6.5, 14", a_busy_metrics_port},
  };
}

}  // namespace davit::standin
