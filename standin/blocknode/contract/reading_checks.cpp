// What any client sees of a node that serves. Nothing here writes.
#include <algorithm>
#include <cctype>

#include "standin/blocknode/contract/contract.hpp"
#include "standin/blocknode/model/chain.hpp"
#include "standin/blocknode/model/metrics_table.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using Response = api::SubscribeStreamResponse;

HttpResult health(Node& node, const std::string& path) {
  return node.http(node.target().health, path);
}

void probes(Lab& lab) {
  for (const char* path : {"/healthz/livez", "/healthz/readyz"}) {
    const HttpResult result = health(lab.running(), path);
    expect_equal(result.status, 200, path);
    expect_equal(result.body, "OK", path);
  }
}

void unknown_paths(Lab& lab) {
  Node& node = lab.running();
  expect_equal(health(node, "/statusz").status, 404, "/statusz");
  expect_equal(health(node, "/statusz").body, "Unknown statusz subpath", "/statusz");
  for (const char* path : {"/healthz", "/-/healthy"}) {
    expect_equal(health(node, path).status, 404, path);
    expect_equal(health(node, path).body, "Endpoint not found", path);
  }
}

void statusz(Lab& lab) {
  for (const char* path : {"/statusz/inbound", "/statusz/outbound"}) {
    const HttpResult result = health(lab.running(), path);
    expect_equal(result.status, 200, path);
    expect(result.body.starts_with("{") && result.body.find('}') != std::string::npos,
           std::string(path) + " is not JSON");
  }
}

void health_closes(Lab& lab) {
  std::string head = health(lab.running(), "/healthz/readyz").head;
  if (head.empty()) throw Skip{"the simulator has no connections that could be closed"};
  std::ranges::transform(head, head.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  expect(head.find("connection: close") != std::string::npos, "no Connection: close");
}

// Another scraper may be at it: 429 means try again.
HttpResult scrape(Node& node) {
  for (int i = 0; i < 5; ++i) {
    HttpResult result = node.http(node.target().metrics, "/metrics");
    if (result.status == 200) return result;
    expect_equal(result.status, 429, "GET /metrics");
    expect(result.head.find("3") != std::string::npos, "429 without Retry-After");
    node.wait(std::chrono::milliseconds(300));
  }
  throw Miss{"/metrics is always busy"};
}

void metrics(Lab& lab) {
  const HttpResult result = scrape(lab.running());
  expect(result.body.find("# EOF") != std::string::npos, "no # EOF");
  expect(result.body.find("\nblocknode_app_state_status 1") != std::string::npos,
         "app_state_status is not 1");
  for (const MetricRow& row : kMetricRows) {
    if (row.since == "0.41.0" || row.labels.find("failed") != std::string_view::npos) continue;
    const std::string name = "\n" + std::string(row.family) + std::string(row.suffix);
    expect(result.body.find(name) != std::string::npos, "missing " + name.substr(1));
  }
}

void metrics_head(Lab& lab) {
  Node& node = lab.running();
  const HttpResult result = node.http(node.target().metrics, "/metrics", "HEAD");
  expect_equal(result.status, 200, "HEAD /metrics");
  expect(result.body.empty(), "HEAD has a body");
}

void status(Lab& lab) {
  Node& node = lab.running();
  const auto reply = node.server_status(node.target().status);
  expect(reply.has_value(), "no answer");
  expect(reply->only_latest_state(), "onlyLatestState is false");
  const bool empty = reply->last_available_block() == kNone;
  expect((reply->first_available_block() == kNone) == empty, "first and last disagree");
  expect(empty || reply->first_available_block() <= reply->last_available_block(),
         "first is above last");
}

void detail(Lab& lab) {
  Node& node = lab.running();
  const auto reply = node.server_detail(node.target().status);
  expect(reply.has_value(), "no answer");
  const auto& versions = reply->version_information();
  expect(versions.block_node_version().minor() > 0, "no version");
  expect(std::ranges::any_of(versions.installed_plugin_versions(),
                             [](const auto& plugin) {
                               return plugin.plugin_id().ends_with("HealthServicePlugin");
                             }),
         "the health plugin is not listed");
  for (const auto& range : reply->available_ranges()) {
    expect(range.range_start() <= range.range_end(), "a range runs backwards");
  }
}

void access(Lab& lab) {
  Node& node = lab.running();
  api::BlockRequest far;
  far.set_block_number(1'000'000'000'000U);
  const auto beyond = node.get_block(node.target().access, far);
  expect(beyond.has_value(), "no answer");
  expect_equal(api::BlockResponse::Code_Name(beyond->status()), "NOT_AVAILABLE", "far block");
  const auto unasked = node.get_block(node.target().access, {});
  expect(unasked.has_value(), "no answer to an empty request");
  expect_equal(api::BlockResponse::Code_Name(unasked->status()), "INVALID_REQUEST",
               "empty request");
}

void newest_blocks(Lab& lab) {
  Node& node = lab.running();
  const auto reply = node.server_status(node.target().status);
  expect(reply.has_value(), "no answer");
  if (reply->last_available_block() == kNone) throw Skip{"the node has no blocks"};
  const BlockNumber last = reply->last_available_block();
  const BlockNumber first = std::max(reply->first_available_block(), last < 5 ? 0 : last - 5);
  api::SubscribeStreamRequest request;
  request.set_start_block_number(first);
  request.set_end_block_number(last);
  BlockNumber next = first;
  std::string code = "none";
  for (const Response& response : node.subscribe(node.target().subscribe, request)) {
    if (response.has_end_of_block()) {
      expect_equal(response.end_of_block().block_number(), next++, "end of block");
    } else if (response.response_case() == Response::kStatus) {
      code = Response::Code_Name(response.status());
    } else {
      const auto& items = response.block_items().block_items();
      expect(!items.empty(), "an empty item set");
      if (items.begin()->has_block_header()) {
        expect_equal(items.begin()->block_header().number(), next, "header");
      }
    }
  }
  expect_equal(code, "SUCCESS", "final status");
  expect_equal(next, last + 1, "blocks received");
}

void refused_ranges(Lab& lab) {
  Node& node = lab.running();
  api::SubscribeStreamRequest request;
  request.set_start_block_number(7);
  request.set_end_block_number(5);
  const auto answer = node.subscribe(node.target().subscribe, request);
  expect_equal(answer.size(), 1U, "messages");
  expect_equal(Response::Code_Name(answer.front().status()), "INVALID_END_BLOCK_NUMBER",
               "a range that runs backwards");
}

void no_reflection(Lab& lab) {
  Node& node = lab.running();
  constexpr int kUnimplemented = 12;
  expect_equal(node.call_unknown_method(node.target().status), kUnimplemented,
               "grpc.health.v1 code");
}

}  // namespace

std::vector<Check> reading_checks() {
  return {
      {"livez and readyz answer 200 OK", "6.4, 14", probes},
      {"other health paths answer 404 with their text", "14", unknown_paths},
      {"statusz inbound and outbound answer JSON", "6.4, 14", statusz},
      {"the health server closes its connections", "6.4", health_closes},
      {"metrics are OpenMetrics with every known name", "9.2, 14", metrics},
      {"HEAD works on metrics", "6.5", metrics_head},
      {"serverStatus is consistent", "6.3", status},
      {"serverStatusDetail lists version, plugins and ranges", "6.2, 6.3", detail},
      {"getBlock refuses with its codes", "6.2", access},
      {"the newest blocks stream in order and end with SUCCESS", "6.2", newest_blocks},
      {"a range that runs backwards is refused", "6.2", refused_ranges},
      {"there is no gRPC health service", "6.2", no_reflection},
  };
}

}  // namespace davit::standin
