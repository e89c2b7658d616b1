// Front: the HTTPS side of `davit-sim serve`: sockets on a real loop, answers from a Gateway on the
// virtual one.
//
//   auto front = Front::listen({.real = real, .virtual_loop = world.loop, .gateway = gateway,
//                               .wake = [&] { time.wake(); }}, port, certificates);
//
// Listens on 127.0.0.1 only. The timeouts that clients give for watches are kept by the real clock,
// whatever the speed of the simulated one. A client that goes away takes its watch with it. Fails
// with kUnavailable when the port is taken. One thread; everything named must outlive the Front.
#pragma once

#include <memory>

#include "io/http_server.hpp"
#include "sim/serve/bridge.hpp"
#include "sim/serve/certificates.hpp"
#include "sim/serve/gateway.hpp"

namespace davit::sim {

class Front {
 public:
  struct Wiring {
    io::AsioLoop& real;
    io::Loop& virtual_loop;
    Gateway& gateway;
    Wake wake;
  };
  [[nodiscard]] static Result<std::unique_ptr<Front>> listen(
      Wiring wiring, std::uint16_t port, const ServerCertificates& certificates);

  [[nodiscard]] std::uint16_t port() const { return server_->port(); }
  [[nodiscard]] std::size_t connections() const { return server_->connections(); }

 private:
  explicit Front(Wiring wiring) : wiring_(std::move(wiring)) {}
  io::Task<io::StreamingResponse> handle(io::HttpRequest request);

  Wiring wiring_;
  std::unique_ptr<io::HttpServer> server_;
};

// When a watch of this target is to end: its timeoutSeconds, or half an hour.
[[nodiscard]] Duration watch_limit(std::string_view target);

}  // namespace davit::sim
