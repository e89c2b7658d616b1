// HTTP as Davit's modules see it: plain values, and Transport, the seam under every request.
//
// A Transport knows its server (address, TLS, credentials live below it). Implementations:
// io::HttpTransport (sockets), sim::ApiServer (memory). `send` answers when the whole response is
// there; `open` answers at the response's header and hands out the body as it arrives (watches,
// logs).
//
// An HTTP status is not an error here: only failing to get an answer is (kUnavailable: refused,
// reset, TLS; kDeadlineExceeded). Bodies are bytes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "io/loop.hpp"
#include "io/task.hpp"

namespace davit::io {

using Headers = std::vector<std::pair<std::string, std::string>>;

// First value of `name` (case-insensitive), or nullopt.
[[nodiscard]] std::optional<std::string_view> find_header(const Headers& headers,
                                                          std::string_view name);

struct HttpRequest {
  std::string method = "GET";
  std::string target = "/";  // path and query, percent-encoded: "/api/v1/pods?limit=500"
  Headers headers = {};      // Host, Content-Length and Authorization are the Transport's business
  std::string body = {};
};

struct HttpResponse {
  unsigned status = 0;
  Headers headers = {};
  std::string body = {};
};

[[nodiscard]] HttpResponse text_response(unsigned status, std::string body);

// A body that arrives in pieces. Destroying it closes the exchange.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  // The next piece, as received; empty at the end of a complete body. A cut connection is
  // kUnavailable; no byte until `deadline` is kDeadlineExceeded (the stream may be read again).
  virtual Task<Result<std::string>> read(Deadline deadline) = 0;
};

struct StreamingResponse {
  unsigned status = 0;
  Headers headers = {};
  std::unique_ptr<BodyStream> body = {};
};

class Transport {
 public:
  virtual ~Transport() = default;
  virtual Task<Result<HttpResponse>> send(HttpRequest request, Deadline deadline) = 0;
  virtual Task<Result<StreamingResponse>> open(HttpRequest request, Deadline deadline) = 0;
};

}  // namespace davit::io
