#include "sim/serve/front.hpp"

#include <charconv>

namespace davit::sim {

namespace {

constexpr Duration kLongestWatch = std::chrono::minutes(30);
// Watches hold a connection each.
constexpr std::size_t kMostConnections = 1024;

}  // namespace

Duration watch_limit(std::string_view target) {
  const std::size_t question = target.find('?');
  if (question == std::string_view::npos) return kLongestWatch;
  const auto query = wire::decode_query(target.substr(question + 1));
  if (!query) return kLongestWatch;
  for (const auto& [name, value] : *query) {
    if (name != "timeoutSeconds") continue;
    int seconds = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (error == std::errc() && seconds > 0) return std::chrono::seconds(seconds);
  }
  return kLongestWatch;
}

Result<std::unique_ptr<Front>> Front::listen(Wiring wiring, std::uint16_t port,
                                             const ServerCertificates& certificates) {
  std::unique_ptr<Front> front(new Front(std::move(wiring)));
  io::HttpServerConfig config;
  config.port = port;
  config.tls = io::TlsServerConfig{.certificate = io::PemSource::data(certificates.certificate),
                                   .key = io::PemSource::data(certificates.key)};
  config.max_connections = kMostConnections;
  auto server = io::HttpServer::listen_streaming(
      front->wiring_.real, std::move(config),
      [self = front.get()](io::HttpRequest request) { return self->handle(std::move(request)); });
  if (!server) return fail(std::move(server.error()));
  front->server_ = std::move(*server);
  return front;
}

io::Task<io::StreamingResponse> Front::handle(io::HttpRequest request) {
  const auto end = io::Deadline::after(wiring_.real, watch_limit(request.target));
  auto response = co_await run_on(wiring_.virtual_loop, wiring_.real, wiring_.wake,
                                  wiring_.gateway.answer(std::move(request)));
  response.body =
      bridge_body(wiring_.virtual_loop, wiring_.real, wiring_.wake, std::move(response.body), end);
  co_return response;
}

}  // namespace davit::sim
