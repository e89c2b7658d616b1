// Client side of a Block Node, shared by publish, subscribe and the contract test. Blocking calls.
#pragma once

#include <grpcpp/channel.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "blocknode/services.grpc.pb.h"
#include "standin/blocknode/model/chain.hpp"

namespace davit::standin {

inline constexpr auto kCallTimeout = std::chrono::seconds(3);

// One host:port, plain HTTP/2. Nothing is connected before the first call.
std::shared_ptr<grpc::Channel> open_channel(const std::string& target);

// nullopt when the node does not answer.
std::optional<org::hiero::block::api::ServerStatusResponse> server_status(
    const std::shared_ptr<grpc::Channel>& channel);
std::optional<org::hiero::block::api::BlockResponse> get_block(
    const std::shared_ptr<grpc::Channel>& channel, BlockNumber number);

}  // namespace davit::standin
