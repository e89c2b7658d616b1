// HttpServer: answers HTTP/1.1 requests, in plain or over TLS. Health, metrics, webhooks,
// stand-ins.
//
//   auto server = HttpServer::listen(loop, {.address = "0.0.0.0", .port = 8080},
//                                    [&](HttpRequest request) { return answer(std::move(request));
//                                    });
//   if (!server) …                           // the port is taken, the certificate unusable
//   co_await (*server)->drain(deadline);     // optional: end in good order; then destroy it
//
// On the loop's thread; requests of one connection one after the other, connections side by side.
// The handler lives as long as the server (so a coroutine lambda may use its captures). Destroying
// the server closes the port and every connection and destroys the handlers under way; not from
// inside a handler. An exception of a handler becomes 500 and goes to on_error.
//
// Bad requests are answered 400, 408, 413 or 431. At max_connections the longest idle connection
// makes room; if none is idle, new ones wait. A streaming handler's body is sent in chunks, until
// it ends (empty piece), fails (the connection is cut) or the client goes away (the body is
// destroyed).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "io/asio_loop.hpp"
#include "io/http.hpp"
#include "io/tls.hpp"

namespace davit::io {

struct HttpServerConfig {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;                   // 0: any free one, see port()
  std::optional<TlsServerConfig> tls = {};  // files are read again when they change
  std::size_t max_header_bytes = 16UZ << 10;
  std::size_t max_body_bytes = 8UZ << 20;
  std::size_t max_connections = 256;
  Duration idle_timeout = std::chrono::seconds(75);
  Duration request_timeout =
      std::chrono::seconds(30);                       // TLS handshake; first byte to whole request
  Duration write_timeout = std::chrono::seconds(30);  // of an answer, or of one piece
  std::function<void(const Error&)> on_error = {};    // what nobody else would hear of
};

using HttpHandler = std::function<Task<HttpResponse>(HttpRequest)>;
using HttpStreamHandler = std::function<Task<StreamingResponse>(HttpRequest)>;

class HttpServer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> listen(AsioLoop& loop,
                                                                  HttpServerConfig config,
                                                                  HttpHandler handler);
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> listen_streaming(
      AsioLoop& loop, HttpServerConfig config, HttpStreamHandler handler);
  ~HttpServer();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] std::size_t connections() const;
  // Accepts no more, closes idle connections and returns when the last answer was sent, or at the
  // deadline. The server must outlive the task.
  [[nodiscard]] Task<void> drain(Deadline deadline);

  struct Core;

 private:
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace davit::io
