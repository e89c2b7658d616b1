// Where the services of a node are, by the settings it was started with. Pure.
#pragma once

#include <string>

#include "standin/blocknode/contract/node.hpp"

namespace davit::standin {

// `usual` holds host and ports; `variables` may move them.
[[nodiscard]] inline Target with_ports(Target usual, const Node::Variables& variables) {
  const auto port = [&](const char* name, std::uint16_t fallback) {
    const auto set = variables.find(name);
    return set == variables.end() ? fallback : static_cast<std::uint16_t>(std::stoul(set->second));
  };
  usual.grpc = port("SERVER_PORT", usual.grpc);
  usual.health = port("HEALTH_PORT", usual.health);
  const auto at = [&](const char* name) {
    return usual.host + ":" + std::to_string(port(name, usual.grpc));
  };
  usual.publish = at("PRODUCER_PORT");
  usual.subscribe = at("SUBSCRIBER_PORT");
  usual.access = at("BLOCK_ACCESS_PORT");
  usual.status = at("SERVER_STATUS_PORT");
  return usual;
}

}  // namespace davit::standin
