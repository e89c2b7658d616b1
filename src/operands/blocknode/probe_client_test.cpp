// The wire of the probes, against scripted servers on loopback.
#include "operands/blocknode/probe_client.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "blocknode/messages.pb.h"
#include "io/block_on.hpp"
#include "io/http_server.hpp"
#include "io/test_grpc_server.hpp"

namespace davit::blocknode {
namespace {

namespace api = org::hiero::block::api;
using io::testing::GrpcReply;
using io::testing::GrpcRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kNone = std::numeric_limits<std::uint64_t>::max();

std::string framed(const std::string& message) {
  std::string out(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8) {
    out += static_cast<char>(message.size() >> static_cast<unsigned>(shift) & 0xffU);
  }
  return out + message;
}

class ProbeClientTest : public ::testing::Test {
 protected:
  io::Deadline soon() { return io::Deadline::after(loop_, std::chrono::seconds(30)); }

  std::unique_ptr<io::HttpServer> http(io::HttpResponse answer, std::string* path = nullptr) {
    auto server = io::HttpServer::listen(
        loop_, {}, [answer, path](io::HttpRequest request) -> io::Task<io::HttpResponse> {
          if (path != nullptr) *path = request.target;
          co_return answer;
        });
    return std::move(server.value());
  }
  template <typename T>
  T with_grpc(const google::protobuf::Message& reply, std::string* path,
              const std::function<io::Task<T>(Address)>& ask) {
    io::testing::RawServer server(
        loop_, io::testing::grpc_server(loop_, [&](const GrpcRequest& request) {
          if (path != nullptr) *path = io::find_header(request.headers, ":path").value_or("");
          return GrpcReply{.body = framed(reply.SerializeAsString()),
                           .trailers = {{"grpc-status", "0"}}};
        }));
    return io::block_on(loop_, ask(Address{"127.0.0.1", server.port()}));
  }

  io::AsioLoop loop_;
  ProbeClient probe_{loop_};
};

TEST_F(ProbeClientTest, HealthIsTheStatusOfReadyz) {
  std::string path;
  const auto server = http({503, {}, "Service is not running"}, &path);
  const auto reply = io::block_on(loop_, probe_.health({"127.0.0.1", server->port()}, soon()));
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 503U);
  EXPECT_EQ(reply->body, "Service is not running");
  EXPECT_EQ(path, "/healthz/readyz");
}

TEST_F(ProbeClientTest, RefusedConnectionIsUnavailable) {
  std::uint16_t port = 0;
  {
    const auto server = http({});
    port = server->port();
  }
  const auto reply = io::block_on(loop_, probe_.health({"127.0.0.1", port}, soon()));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), Code::kUnavailable);
  EXPECT_FALSE(io::block_on(loop_, probe_.speaks({"127.0.0.1", port}, soon())));
}

TEST_F(ProbeClientTest, MetricsInUseBySomebodyElseSayWhenToComeBack) {
  const auto server = http({429, {{"Retry-after", "3"}}, ""});
  const auto reply = io::block_on(loop_, probe_.metrics({"127.0.0.1", server->port()}, soon()));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), Code::kTooManyRequests);
  EXPECT_EQ(reply.error().retry_after(), std::chrono::seconds(3));
}

TEST_F(ProbeClientTest, AgentReportIsItsText) {
  std::string path;
  const auto server = http({200, {}, "{\"volumes\":[]}"}, &path);
  const auto reply =
      io::block_on(loop_, probe_.agent_report({"127.0.0.1", server->port()}, soon()));
  ASSERT_TRUE(reply);
  EXPECT_EQ(*reply, "{\"volumes\":[]}");
  EXPECT_EQ(path, "/report");
}

TEST_F(ProbeClientTest, EmptyNodeHasNoHeights) {
  api::ServerStatusResponse reply;
  reply.set_first_available_block(kNone);
  reply.set_last_available_block(kNone);
  std::string path;
  const auto status = with_grpc<Result<ServerStatus>>(
      reply, &path, [&](Address a) { return probe_.server_status(a, soon()); });
  ASSERT_TRUE(status) << status.error().describe();
  EXPECT_FALSE(status->first);
  EXPECT_FALSE(status->last);
  EXPECT_EQ(path, "/org.hiero.block.api.BlockNodeService/serverStatus");
}

TEST_F(ProbeClientTest, FirstBlockZeroIsAHeight) {
  api::ServerStatusResponse reply;
  reply.set_last_available_block(19);
  const auto status = with_grpc<Result<ServerStatus>>(
      reply, nullptr, [&](Address a) { return probe_.server_status(a, soon()); });
  ASSERT_TRUE(status);
  EXPECT_EQ(status->first, 0U);
  EXPECT_EQ(status->last, 19U);
}

TEST_F(ProbeClientTest, DetailTellsVersionAndPlugins) {
  api::ServerStatusDetailResponse reply;
  auto* versions = reply.mutable_version_information();
  versions->mutable_block_node_version()->set_minor(41);
  versions->mutable_block_node_version()->set_pre("rc1");
  versions->add_installed_plugin_versions()->set_plugin_id("health");
  const auto detail = with_grpc<Result<ServerDetail>>(
      reply, nullptr, [&](Address a) { return probe_.server_detail(a, soon()); });
  ASSERT_TRUE(detail);
  EXPECT_EQ(detail->version, "0.41.0-rc1");
  EXPECT_THAT(detail->plugins, ElementsAre("health"));
}

TEST_F(ProbeClientTest, BlockTellsItsOwnNumberAndItems) {
  api::BlockResponse reply;
  reply.set_status(api::BlockResponse::SUCCESS);
  reply.mutable_block()->add_items()->mutable_block_header()->set_number(8);
  reply.mutable_block()->add_items()->mutable_round_header();
  const auto block = with_grpc<Result<BlockReply>>(
      reply, nullptr, [&](Address a) { return probe_.block(a, 7, soon()); });
  ASSERT_TRUE(block);
  EXPECT_EQ(block->number, 8U);
  EXPECT_EQ(block->items, 2U);
}

TEST_F(ProbeClientTest, BlockThatIsNotThereIsNotFound) {
  api::BlockResponse reply;
  reply.set_status(api::BlockResponse::NOT_FOUND);
  const auto block = with_grpc<Result<BlockReply>>(
      reply, nullptr, [&](Address a) { return probe_.block(a, 7, soon()); });
  ASSERT_FALSE(block);
  EXPECT_EQ(block.error().code(), Code::kNotFound);
  EXPECT_THAT(block.error().message(), HasSubstr("NOT_FOUND"));
}

}  // namespace
}  // namespace davit::blocknode
