#include "standin/blocknode/contract/http_get.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdlib>

namespace davit::standin {
namespace {

int connect_to(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return -1;
  int out = -1;
  for (const addrinfo* at = found; at != nullptr && out < 0; at = at->ai_next) {
    out = socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC, 0);
    const timeval patience{.tv_sec = 5, .tv_usec = 0};
    setsockopt(out, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(out, at->ai_addr, at->ai_addrlen) != 0) {
      close(out);
      out = -1;
    }
  }
  freeaddrinfo(found);
  return out;
}

}  // namespace

HttpResult http_request(const std::string& host, std::uint16_t port, const std::string& path,
                        const std::string& method) {
  HttpResult out;
  const int descriptor = connect_to(host, port);
  if (descriptor < 0) return out;
  const std::string request =
      method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  (void)!write(descriptor, request.data(), request.size());
  std::string all;
  std::array<char, 8192> buffer{};
  for (ssize_t got = 0; (got = read(descriptor, buffer.data(), buffer.size())) > 0;) {
    all.append(buffer.data(), static_cast<std::size_t>(got));
  }
  close(descriptor);
  const auto end = all.find("\r\n\r\n");
  if (end == std::string::npos || all.size() < 12) return out;
  out.status = std::atoi(all.c_str() + 9);
  out.head = all.substr(0, end + 2);
  out.body = all.substr(end + 4);
  return out;
}

std::uint16_t free_port() {
  // Below the ports that the kernel gives to clients, so that no connection takes one meanwhile;
  // never the same twice.
  constexpr int kFirst = 20'000;
  constexpr int kCount = 12'000;
  static int next = getpid() * 37;
  for (int tries = 0; tries < kCount; ++tries) {
    const auto port = static_cast<std::uint16_t>(kFirst + next++ % kCount);
    const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    const int bound = bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    close(descriptor);
    if (bound == 0) return port;
  }
  return 0;
}

}  // namespace davit::standin
