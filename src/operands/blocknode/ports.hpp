// Ports: which ports a node's server opens, by its exposure. One list for the ConfigMap, the
// Services, the pod, the agent and the probes, so that none of them forgets one.
//
// Facts: blocknode.md §6.6. Pure; any thread.
#pragma once

#include <string_view>
#include <vector>

#include "operands/blocknode/layout.hpp"
#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

struct Port {
  std::string_view name;  // of the container port and the Service port: "grpc"
  std::uint16_t number;
  std::string_view setting;  // environment variable that opens it; empty: needs none
  bool client;               // reached by clients through the Service
};

// Shared: grpc, health, metrics. Split: one more for each of the four services.
[[nodiscard]] std::vector<Port> server_ports(const BlockNodeSpec& spec);
// Where serverStatus and getBlock are asked.
[[nodiscard]] std::uint16_t status_port(const BlockNodeSpec& spec);
[[nodiscard]] std::uint16_t access_port(const BlockNodeSpec& spec);

}  // namespace davit::blocknode
