// A gRPC server for tests: nghttp2 on scripted connections, one call at a time.
#pragma once

#include <functional>
#include <string>

#include "io/http.hpp"
#include "io/test_server.hpp"

namespace davit::io::testing {

struct GrpcReply {
  std::string body = {};  // as it goes into DATA frames: framed by the test
  Headers headers = {};   // besides :status and content-type
  std::string http_status = "200";
  Headers trailers = {};  // none: the stream ends with the body
  bool reset = false;     // RST_STREAM instead of an answer
};

struct GrpcRequest {
  Headers headers;
  std::string body;  // framed
};

using GrpcScript = std::function<GrpcReply(const GrpcRequest&)>;

// A script for RawServer that answers each call of each connection by `script`.
[[nodiscard]] RawServer::Script grpc_server(AsioLoop& loop, GrpcScript script);

}  // namespace davit::io::testing
