// One blocking HTTP request for the contract test.
#pragma once

#include <cstdint>
#include <string>

#include "standin/blocknode/contract/node.hpp"

namespace davit::standin {

HttpResult http_request(const std::string& host, std::uint16_t port, const std::string& path,
                        const std::string& method = "GET");

// A port nobody listens on right now.
std::uint16_t free_port();

}  // namespace davit::standin
