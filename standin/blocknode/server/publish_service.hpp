// gRPC face of the publish service. Handlers run on gRPC's threads.
#pragma once

#include "blocknode/services.grpc.pb.h"
#include "standin/blocknode/server/node_host.hpp"

namespace davit::standin {

class PublishService final
    : public org::hiero::block::api::BlockStreamPublishService::CallbackService {
 public:
  explicit PublishService(NodeHost& host) : host_(host) {}

  grpc::ServerBidiReactor<org::hiero::block::api::PublishStreamRequest,
                          org::hiero::block::api::PublishStreamResponse>*
  publishBlockStream(grpc::CallbackServerContext* context) override;

 private:
  NodeHost& host_;
};

}  // namespace davit::standin
