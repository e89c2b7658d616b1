#include "operands/blocknode/probe_client.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>

#include "blocknode/messages.pb.h"
#include "io/connect.hpp"
#include "io/grpc_client.hpp"
#include "io/http_transport.hpp"

namespace davit::blocknode {

namespace {

namespace api = org::hiero::block::api;

// The server's own limit of a message (blocknode.md §6.2).
constexpr std::size_t kLargestBlock = 131'072'000;

std::optional<std::uint64_t> height(std::uint64_t number) {
  if (number == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
  return number;
}

template <typename Message>
Result<Message> decode(const Result<std::string>& reply) {
  if (!reply) return fail(reply.error());
  Message message;
  if (!message.ParseFromString(*reply)) {
    return fail(Code::kInvalid, "the answer is not the message that was asked for");
  }
  return message;
}

std::string version_text(const proto::SemanticVersion& version) {
  std::string text = fmt::format("{}.{}.{}", version.major(), version.minor(), version.patch());
  if (!version.pre().empty()) text += "-" + version.pre();
  return text;
}

std::optional<std::chrono::milliseconds> retry_after(const io::HttpResponse& answer) {
  const auto header = io::find_header(answer.headers, "Retry-After");
  if (!header) return std::nullopt;
  int seconds = 0;
  const auto parsed = std::from_chars(header->data(), header->data() + header->size(), seconds);
  if (parsed.ec != std::errc()) return std::nullopt;
  return std::chrono::seconds(seconds);
}

}  // namespace

io::Task<Result<io::HttpResponse>> ProbeClient::get(Address address, std::string path,
                                                    io::Deadline deadline) {
  io::HttpTransportConfig config;
  config.host = address.host;
  config.port = address.port;
  config.max_idle_connections = 0;
  io::HttpTransport transport(*loop_, std::move(config));
  io::HttpRequest request;
  request.target = std::move(path);
  co_return co_await transport.send(std::move(request), deadline);
}

io::Task<Result<std::string>> ProbeClient::text(Address address, std::string path,
                                                io::Deadline deadline) {
  auto answer = co_await get(std::move(address), path, deadline);
  if (!answer) co_return fail(answer.error());
  if (answer->status == 429) {
    Error error(Code::kTooManyRequests, fmt::format("GET {}: somebody else is asking", path));
    if (const auto hint = retry_after(*answer)) error = std::move(error).with_retry_after(*hint);
    co_return fail(std::move(error));
  }
  if (answer->status < 200 || answer->status > 299) {
    co_return fail(Code::kUnavailable, fmt::format("GET {} answers {}", path, answer->status));
  }
  co_return std::move(answer->body);
}

io::Task<Result<HealthReply>> ProbeClient::health(Address health, io::Deadline deadline) {
  auto answer = co_await get(std::move(health), "/healthz/readyz", deadline);
  if (!answer) co_return fail(answer.error());
  co_return HealthReply{answer->status, std::move(answer->body)};
}

io::Task<Result<ServerStatus>> ProbeClient::server_status(Address grpc, io::Deadline deadline) {
  const auto reply = decode<api::ServerStatusResponse>(
      co_await io::grpc_call(*loop_,
                             {.host = grpc.host,
                              .port = grpc.port,
                              .method = "/org.hiero.block.api.BlockNodeService/serverStatus"},
                             std::string(), deadline));
  if (!reply) co_return fail(reply.error());
  co_return ServerStatus{height(reply->first_available_block()),
                         height(reply->last_available_block())};
}

io::Task<Result<ServerDetail>> ProbeClient::server_detail(Address grpc, io::Deadline deadline) {
  const auto reply = decode<api::ServerStatusDetailResponse>(
      co_await io::grpc_call(*loop_,
                             {.host = grpc.host,
                              .port = grpc.port,
                              .method = "/org.hiero.block.api.BlockNodeService/serverStatusDetail"},
                             std::string(), deadline));
  if (!reply) co_return fail(reply.error());
  const auto& versions = reply->version_information();
  ServerDetail detail;
  detail.version = version_text(versions.block_node_version());
  for (const auto& plugin : versions.installed_plugin_versions()) {
    detail.plugins.push_back(plugin.plugin_id());
  }
  co_return detail;
}

io::Task<Result<BlockReply>> ProbeClient::block(Address grpc, std::uint64_t number,
                                                io::Deadline deadline) {
  api::BlockRequest request;
  request.set_block_number(number);
  const Result<std::string> bytes =
      co_await io::grpc_call(*loop_,
                             {.host = grpc.host,
                              .port = grpc.port,
                              .method = "/org.hiero.block.api.BlockAccessService/getBlock",
                              .max_message_bytes = kLargestBlock},
                             request.SerializeAsString(), deadline);
  const auto reply = decode<api::BlockResponse>(bytes);
  if (!reply) co_return fail(reply.error());
  if (reply->status() != api::BlockResponse::SUCCESS) {
    const bool absent = reply->status() == api::BlockResponse::NOT_FOUND ||
                        reply->status() == api::BlockResponse::NOT_AVAILABLE;
    co_return fail(
        absent ? Code::kNotFound : Code::kUnavailable,
        fmt::format("getBlock answers {}", api::BlockResponse::Code_Name(reply->status())));
  }
  BlockReply block{.number = number,
                   .bytes = bytes->size(),
                   .items = static_cast<std::uint64_t>(reply->block().items_size())};
  // What the block says it is.
  for (const auto& item : reply->block().items()) {
    if (item.has_block_header()) block.number = item.block_header().number();
  }
  co_return block;
}

io::Task<Result<std::string>> ProbeClient::metrics(Address metrics, io::Deadline deadline) {
  return text(std::move(metrics), "/metrics", deadline);
}

io::Task<Status> ProbeClient::speaks(Address port, io::Deadline deadline) {
  return io::can_connect(*loop_, std::move(port.host), port.port, deadline);
}

io::Task<Result<std::string>> ProbeClient::agent_report(Address agent, io::Deadline deadline) {
  return text(std::move(agent), "/report", deadline);
}

}  // namespace davit::blocknode
