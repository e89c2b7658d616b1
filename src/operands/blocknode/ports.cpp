#include "operands/blocknode/ports.hpp"

namespace davit::blocknode {

namespace {
bool split(const BlockNodeSpec& spec) { return spec.exposure.ports == "Split"; }
}  // namespace

std::vector<Port> server_ports(const BlockNodeSpec& spec) {
  std::vector<Port> ports{{"grpc", kGrpcPort, "SERVER_PORT", true}};
  if (split(spec)) {
    ports.push_back({"publisher", kPublisherPort, "PRODUCER_PORT", true});
    ports.push_back({"subscriber", kSubscriberPort, "SUBSCRIBER_PORT", true});
    ports.push_back({"block-access", kBlockAccessPort, "BLOCK_ACCESS_PORT", true});
    ports.push_back({"server-status", kServerStatusPort, "SERVER_STATUS_PORT", true});
  }
  ports.push_back({"health", kHealthPort, "HEALTH_PORT", false});
  ports.push_back({"metrics", kMetricsPort, "", false});
  return ports;
}

std::uint16_t status_port(const BlockNodeSpec& spec) {
  return split(spec) ? kServerStatusPort : kGrpcPort;
}

std::uint16_t access_port(const BlockNodeSpec& spec) {
  return split(spec) ? kBlockAccessPort : kGrpcPort;
}

}  // namespace davit::blocknode
