// HttpTransport: the Transport over sockets: HTTP/1.1, TLS, one server, a pool of idle connections.
//
//   HttpTransport api(loop, {.host = "10.0.0.1", .port = 6443, .tls = TlsClientConfig{…},
//                            .bearer_token = [&] { return token.current(); }});
//   Result<HttpResponse> answer = co_await api.send({.target = "/version"}, deadline);
//
// On the loop's thread. The transport may be destroyed before its tasks and body streams (they
// share what they need); the loop may not. As many requests run at once as are asked for; each has
// its own connection while it runs. Destroying a task or BodyStream closes its connection at once.
//
// A pooled connection may have been closed by the server meanwhile: when nothing of an answer was
// read, the request is sent once more on a new connection if its method is idempotent (GET, HEAD,
// PUT, DELETE, OPTIONS) or no byte of it had left. Anything else is the caller's to decide.
// Fails with kUnavailable, kDeadlineExceeded, or kInvalid (malformed request, unusable TLS files,
// an answer larger than max_response_bytes).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/asio_loop.hpp"
#include "io/http.hpp"
#include "io/tls.hpp"

namespace davit::io {

struct HttpTransportConfig {
  std::string host = {};  // IP address (IPv6 without brackets) or DNS name
  std::uint16_t port = 443;
  std::optional<TlsClientConfig> tls = {};  // none: plain HTTP
  std::function<std::string()> bearer_token =
      {};  // asked for each request; empty answer: none is sent
  std::string user_agent = "davit";
  Duration connect_timeout = std::chrono::seconds(10);  // name, TCP and TLS; within the deadline
  Duration idle_timeout = std::chrono::seconds(60);     // then a pooled connection is closed
  std::size_t max_idle_connections = 16;
  std::size_t max_response_bytes = 64UZ << 20;  // of `send`; a stream has no limit
};

class HttpTransport final : public Transport {
 public:
  HttpTransport(AsioLoop& loop, HttpTransportConfig config);
  ~HttpTransport() override;

  Task<Result<HttpResponse>> send(HttpRequest request, Deadline deadline) override;
  // The deadline is that of the header.
  Task<Result<StreamingResponse>> open(HttpRequest request, Deadline deadline) override;

  [[nodiscard]] std::size_t idle_connections() const;

  struct Core;

 private:
  std::shared_ptr<Core> core_;
};

}  // namespace davit::io
