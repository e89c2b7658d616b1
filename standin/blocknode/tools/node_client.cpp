#include "standin/blocknode/tools/node_client.hpp"

#include <grpcpp/create_channel.h>

namespace davit::standin {

namespace api = org::hiero::block::api;

std::shared_ptr<grpc::Channel> open_channel(const std::string& target) {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 2000);
  // Every channel its own connection: nodes limit the streams of one.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(), arguments);
}

std::optional<api::ServerStatusResponse> server_status(
    const std::shared_ptr<grpc::Channel>& channel) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
  api::ServerStatusResponse out;
  if (!api::BlockNodeService::NewStub(channel)->serverStatus(&context, {}, &out).ok()) {
    return std::nullopt;
  }
  return out;
}

std::optional<api::BlockResponse> get_block(const std::shared_ptr<grpc::Channel>& channel,
                                            BlockNumber number) {
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() + kCallTimeout);
  api::BlockRequest request;
  request.set_block_number(number);
  api::BlockResponse out;
  if (!api::BlockAccessService::NewStub(channel)->getBlock(&context, request, &out).ok()) {
    return std::nullopt;
  }
  return out;
}

}  // namespace davit::standin
