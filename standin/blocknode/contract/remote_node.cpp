#include "standin/blocknode/contract/remote_node.hpp"

#include <grpcpp/generic/generic_stub.h>

#include <future>
#include <thread>

#include "io/block_on.hpp"
#include "standin/blocknode/contract/http_get.hpp"
#include "standin/blocknode/tools/node_client.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;

void set_deadline(grpc::ClientContext& context, std::chrono::seconds patience) {
  context.set_deadline(std::chrono::system_clock::now() + patience);
}

[[noreturn]] void not_ours() { throw Skip{"the server is not ours to start, stop or change"}; }

}  // namespace

HttpResult RemoteNode::http(std::uint16_t port, const std::string& path,
                            const std::string& method) {
  return http_request(target_.host, port, path, method);
}

std::pair<HttpResult, HttpResult> RemoteNode::scrape_twice() {
  std::pair<HttpResult, HttpResult> out;
  std::thread scraper([&] { out.first = http(target_.metrics, "/metrics", "GET"); });
  wait(std::chrono::milliseconds(200));
  out.second = http(target_.metrics, "/metrics", "GET");
  scraper.join();
  return out;
}

std::optional<api::ServerStatusResponse> RemoteNode::server_status(const std::string& at) {
  return standin::server_status(open_channel(at));
}

std::optional<api::ServerStatusDetailResponse> RemoteNode::server_detail(const std::string& at) {
  grpc::ClientContext context;
  set_deadline(context, kCallTimeout);
  api::ServerStatusDetailResponse reply;
  const auto stub = api::BlockNodeService::NewStub(open_channel(at));
  if (!stub->serverStatusDetail(&context, {}, &reply).ok()) return std::nullopt;
  return reply;
}

std::optional<api::BlockResponse> RemoteNode::get_block(const std::string& at,
                                                        const api::BlockRequest& request) {
  grpc::ClientContext context;
  set_deadline(context, kCallTimeout);
  api::BlockResponse reply;
  const auto stub = api::BlockAccessService::NewStub(open_channel(at));
  if (!stub->getBlock(&context, request, &reply).ok()) return std::nullopt;
  return reply;
}

Node::Subscribed RemoteNode::subscribe(const std::string& at,
                                       const api::SubscribeStreamRequest& request) {
  grpc::ClientContext context;
  set_deadline(context, std::chrono::seconds(30));
  const auto stub = api::BlockStreamSubscribeService::NewStub(open_channel(at));
  const auto stream = stub->subscribeBlockStream(&context, request);
  Subscribed out;
  for (api::SubscribeStreamResponse response; stream->Read(&response);) out.push_back(response);
  return out;
}

int RemoteNode::call_unknown_method(const std::string& at) {
  grpc::ClientContext context;
  set_deadline(context, kCallTimeout);
  grpc::TemplatedGenericStub<api::ServerStatusRequest, api::ServerStatusResponse> stub(
      open_channel(at));
  const api::ServerStatusRequest request;
  api::ServerStatusResponse reply;
  std::promise<int> done;
  stub.UnaryCall(
      &context, "/grpc.health.v1.Health/Check", {}, &request, &reply,
      [&](const grpc::Status& status) { done.set_value(static_cast<int>(status.error_code())); });
  return done.get_future().get();
}

void RemoteNode::wait(std::chrono::milliseconds time) { std::this_thread::sleep_for(time); }
std::uint16_t RemoteNode::free_port() { return standin::free_port(); }
void RemoteNode::run(io::Task<void> task) { io::block_on(loop_, std::move(task)); }

void RemoteNode::start(const Variables& /*variables*/) { not_ours(); }
void RemoteNode::terminate() { not_ours(); }
std::optional<int> RemoteNode::exit_code() { not_ours(); }
std::string RemoteNode::log() { return "its log is not seen from here"; }
void RemoteNode::set_faults(const std::string& /*lines*/) { not_ours(); }
bool RemoteNode::publish(unsigned /*count*/, std::chrono::seconds /*patience*/) { not_ours(); }
std::optional<std::uint64_t> RemoteNode::file_size(const std::string& /*path*/) { not_ours(); }
std::string RemoteNode::read_file(const std::string& /*path*/) { not_ours(); }
void RemoteNode::write_file(const std::string& /*path*/, const std::string& /*bytes*/) {
  not_ours();
}
bool RemoteNode::is_empty(const std::string& /*folder*/) { not_ours(); }
std::string RemoteNode::base() const { not_ours(); }

}  // namespace davit::standin
