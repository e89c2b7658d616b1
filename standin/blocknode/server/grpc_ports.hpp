// The gRPC listeners: SERVER_PORT, and one more for each plugin that has a port of its own.
//
// A port that cannot be bound is logged and left out; the node stays RUNNING (facts section 14).
#pragma once

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/server.h>

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "standin/blocknode/server/publish_service.hpp"
#include "standin/blocknode/server/subscribe_service.hpp"
#include "standin/blocknode/server/unary_services.hpp"

namespace davit::standin {

class GrpcPorts {
 public:
  explicit GrpcPorts(NodeHost& host);

  void open();

 private:
  void open_port(std::int64_t port, const std::vector<grpc::Service*>& services);

  NodeHost& host_;
  PublishService publish_;
  SubscribeService subscribe_;
  AccessService access_;
  StatusService status_;
  grpc::CallbackGenericService none_;  // a server needs a service: this one knows no method
  std::vector<std::unique_ptr<grpc::Server>> servers_;
};

}  // namespace davit::standin
