// What can be seen from outside, of a stand-in or of a real server. Nothing here writes.
#include <grpcpp/generic/generic_stub.h>

#include <algorithm>
#include <cctype>
#include <future>
#include <iterator>
#include <thread>

#include "standin/blocknode/contract/contract.hpp"
#include "standin/blocknode/contract/http_get.hpp"
#include "standin/blocknode/model/metrics_table.hpp"
#include "standin/blocknode/tools/node_client.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using Response = api::SubscribeStreamResponse;

class Remote {
 public:
  explicit Remote(const Target& target)
      : target_(target),
        status_(open_channel(target.status)),
        access_(open_channel(target.access)),
        subscribe_(open_channel(target.subscribe)) {}

  void probes() const {
    for (const char* path : {"/healthz/livez", "/healthz/readyz"}) {
      const HttpResult result = health(path);
      expect_equal(result.status, 200, path);
      expect_equal(result.body, "OK", path);
    }
  }

  void unknown_paths() const {
    expect_equal(health("/statusz").status, 404, "/statusz");
    expect_equal(health("/statusz").body, "Unknown statusz subpath", "/statusz");
    for (const char* path : {"/healthz", "/-/healthy"}) {
      expect_equal(health(path).status, 404, path);
      expect_equal(health(path).body, "Endpoint not found", path);
    }
  }

  void statusz() const {
    for (const char* path : {"/statusz/inbound", "/statusz/outbound"}) {
      const HttpResult result = health(path);
      expect_equal(result.status, 200, path);
      expect(result.body.starts_with("{") && result.body.find('}') != std::string::npos,
             std::string(path) + " is not JSON");
    }
  }

  void health_closes() const {
    std::string head = health("/healthz/readyz").head;
    std::ranges::transform(head, head.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    expect(head.find("connection: close") != std::string::npos, "no Connection: close");
  }

  void metrics() const {
    const HttpResult result = scrape();
    expect(result.body.find("# EOF") != std::string::npos, "no # EOF");
    expect(result.body.find("\nblocknode_app_state_status 1") != std::string::npos,
           "app_state_status is not 1");
    for (const MetricRow& row : kMetricRows) {
      if (row.since == "0.41.0" || row.labels.find("failed") != std::string_view::npos) continue;
      const std::string name = "\n" + std::string(row.family) + std::string(row.suffix);
      expect(result.body.find(name) != std::string::npos, "missing " + name.substr(1));
    }
  }

  void metrics_head() const {
    const HttpResult result = http_request(target_.host, target_.metrics, "/metrics", "HEAD");
    expect_equal(result.status, 200, "HEAD /metrics");
    expect(result.body.empty(), "HEAD has a body");
  }

  void status() const {
    const auto reply = server_status(status_);
    expect(reply.has_value(), "no answer");
    expect(reply->only_latest_state(), "onlyLatestState is false");
    const bool empty = reply->last_available_block() == kNone;
    expect((reply->first_available_block() == kNone) == empty, "first and last disagree");
    expect(empty || reply->first_available_block() <= reply->last_available_block(),
           "first is above last");
  }

  void detail() const {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
    api::ServerStatusDetailResponse reply;
    const auto result =
        api::BlockNodeService::NewStub(status_)->serverStatusDetail(&context, {}, &reply);
    expect(result.ok(), "no answer: " + result.error_message());
    const auto& versions = reply.version_information();
    expect(versions.block_node_version().minor() > 0, "no version");
    const auto& plugins = versions.installed_plugin_versions();
    expect(std::ranges::any_of(plugins,
                               [](const auto& plugin) {
                                 return plugin.plugin_id().ends_with("HealthServicePlugin");
                               }),
           "the health plugin is not listed");
    for (const auto& range : reply.available_ranges()) {
      expect(range.range_start() <= range.range_end(), "a range runs backwards");
    }
  }

  void access() const {
    const auto beyond = get_block(access_, 1'000'000'000'000U);
    expect(beyond.has_value(), "no answer");
    expect_equal(api::BlockResponse::Code_Name(beyond->status()), "NOT_AVAILABLE", "far block");
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
    api::BlockResponse reply;
    expect(api::BlockAccessService::NewStub(access_)->getBlock(&context, {}, &reply).ok(),
           "no answer to an empty request");
    expect_equal(api::BlockResponse::Code_Name(reply.status()), "INVALID_REQUEST", "empty request");
  }

  void newest_blocks() const {
    const auto reply = server_status(status_);
    expect(reply.has_value(), "no answer");
    if (reply->last_available_block() == kNone) throw Skip{"the node has no blocks"};
    const BlockNumber last = reply->last_available_block();
    const BlockNumber first = std::max(reply->first_available_block(), last < 5 ? 0 : last - 5);
    api::SubscribeStreamRequest request;
    request.set_start_block_number(first);
    request.set_end_block_number(last);
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
    const auto stream = api::BlockStreamSubscribeService::NewStub(subscribe_)
                            ->subscribeBlockStream(&context, request);
    BlockNumber next = first;
    std::string code = "none";
    for (Response response; stream->Read(&response);) {
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

  void no_reflection() const {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
    grpc::TemplatedGenericStub<api::ServerStatusRequest, api::ServerStatusResponse> stub(status_);
    grpc::Status result;
    std::promise<void> done;
    api::ServerStatusRequest request;
    api::ServerStatusResponse reply;
    stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", {}, &request, &reply,
                   [&](grpc::Status status) {
                     result = std::move(status);
                     done.set_value();
                   });
    done.get_future().wait();
    expect_equal(static_cast<int>(result.error_code()),
                 static_cast<int>(grpc::StatusCode::UNIMPLEMENTED), "grpc.health.v1 code");
  }

 private:
  HttpResult health(const std::string& path) const {
    return http_request(target_.host, target_.health, path);
  }

  // Another scraper may be at it: 429 means try again.
  HttpResult scrape() const {
    for (int i = 0; i < 5; ++i) {
      HttpResult result = http_request(target_.host, target_.metrics, "/metrics");
      if (result.status == 200) return result;
      expect_equal(result.status, 429, "GET /metrics");
      expect(result.head.find("3") != std::string::npos, "429 without Retry-After");
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    throw Miss{"/metrics is always busy"};
  }

  Target target_;
  std::shared_ptr<grpc::Channel> status_;
  std::shared_ptr<grpc::Channel> access_;
  std::shared_ptr<grpc::Channel> subscribe_;
};

}  // namespace

std::vector<Check> remote_checks(const Target& target) {
  const auto remote = std::make_shared<Remote>(target);
  const auto check = [&](const char* name, const char* source, void (Remote::*member)() const) {
    return Check{name, source, [remote, member] { (remote.get()->*member)(); }};
  };
  return {
      check("livez and readyz answer 200 OK", "6.4, 14", &Remote::probes),
      check("other health paths answer 404 with their text", "14", &Remote::unknown_paths),
      check("statusz inbound and outbound answer JSON", "6.4, 14", &Remote::statusz),
      check("the health server closes its connections", "6.4", &Remote::health_closes),
      check("metrics are OpenMetrics with every known name", "9.2, 14", &Remote::metrics),
      check("HEAD works on metrics", "6.5", &Remote::metrics_head),
      check("serverStatus is consistent", "6.3", &Remote::status),
      check("serverStatusDetail lists version, plugins and ranges", "6.2, 6.3", &Remote::detail),
      check("getBlock refuses with its codes", "6.2", &Remote::access),
      check("the newest blocks stream in order and end with SUCCESS", "6.2",
            &Remote::newest_blocks),
      check("there is no gRPC health service", "6.2", &Remote::no_reflection),
  };
}

}  // namespace davit::standin
