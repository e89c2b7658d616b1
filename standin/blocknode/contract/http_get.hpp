// One blocking HTTP request for the contract test.
#pragma once

#include <cstdint>
#include <string>

namespace davit::standin {

struct HttpResult {
  int status = 0;  // 0: no connection or no answer
  std::string head;
  std::string body;
};

HttpResult http_request(const std::string& host, std::uint16_t port, const std::string& path,
                        const std::string& method = "GET");

// A port nobody listens on right now.
std::uint16_t free_port();

}  // namespace davit::standin
