// gRPC faces of the status and block access services. Handlers run on gRPC's threads.
#pragma once

#include "blocknode/services.grpc.pb.h"
#include "standin/blocknode/server/node_host.hpp"

namespace davit::standin {

class StatusService final : public org::hiero::block::api::BlockNodeService::CallbackService {
 public:
  explicit StatusService(NodeHost& host) : host_(host) {}

  grpc::ServerUnaryReactor* serverStatus(
      grpc::CallbackServerContext* context,
      const org::hiero::block::api::ServerStatusRequest* /*request*/,
      org::hiero::block::api::ServerStatusResponse* response) override {
    *response = host_.with([](NodeModel& model) { return model.server_status(); });
    return done(context);
  }

  grpc::ServerUnaryReactor* serverStatusDetail(
      grpc::CallbackServerContext* context,
      const org::hiero::block::api::ServerStatusRequest* /*request*/,
      org::hiero::block::api::ServerStatusDetailResponse* response) override {
    *response =
        host_.with([this](NodeModel& model) { return model.server_status_detail(host_.now()); });
    return done(context);
  }

 private:
  static grpc::ServerUnaryReactor* done(grpc::CallbackServerContext* context) {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

  NodeHost& host_;
};

class AccessService final : public org::hiero::block::api::BlockAccessService::CallbackService {
 public:
  explicit AccessService(NodeHost& host) : host_(host) {}

  grpc::ServerUnaryReactor* getBlock(grpc::CallbackServerContext* context,
                                     const org::hiero::block::api::BlockRequest* request,
                                     org::hiero::block::api::BlockResponse* response) override {
    *response = host_.with([&](NodeModel& model) { return model.get_block(*request); });
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }

 private:
  NodeHost& host_;
};

}  // namespace davit::standin
