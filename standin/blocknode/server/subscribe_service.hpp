// gRPC face of the subscribe service. Handlers run on gRPC's threads.
#pragma once

#include "blocknode/services.grpc.pb.h"
#include "standin/blocknode/server/node_host.hpp"

namespace davit::standin {

class SubscribeService final
    : public org::hiero::block::api::BlockStreamSubscribeService::CallbackService {
 public:
  explicit SubscribeService(NodeHost& host) : host_(host) {}

  grpc::ServerWriteReactor<org::hiero::block::api::SubscribeStreamResponse>* subscribeBlockStream(
      grpc::CallbackServerContext* context,
      const org::hiero::block::api::SubscribeStreamRequest* request) override;

 private:
  NodeHost& host_;
};

}  // namespace davit::standin
