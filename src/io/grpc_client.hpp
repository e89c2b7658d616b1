// grpc_call: one unary gRPC call over plain-text HTTP/2 (prior knowledge), inside the loop.
//
//   request.SerializeToString(&bytes);
//   Result<std::string> reply = co_await grpc_call(
//       loop, {.host = "10.1.2.3", .port = 40840,
//              .method = "/org.hiero.block.api.BlockNodeService/serverStatus"}, bytes, deadline);
//   if (reply) response.ParseFromString(*reply);
//
// Messages are bytes: who calls brings the protobuf classes. One TCP connection per call, closed
// afterwards: probes are rare and spread over many nodes, so nothing is kept open between them. No
// TLS, no compression, no retry. On the loop's thread; destroying the task closes the connection.
//
// A grpc-status other than OK becomes an Error: its code by grpc_code(), its reason the gRPC name
// ("UNIMPLEMENTED"), its message the server's. Else kUnavailable (no connection, cut, not HTTP/2,
// stream reset), kDeadlineExceeded, kInvalid (reply larger than max_message_bytes, malformed method
// or metadata), kUnsupported (compressed reply).
#pragma once

#include <cstdint>
#include <string>

#include "io/asio_loop.hpp"
#include "io/http.hpp"
#include "io/task.hpp"

namespace davit::io {

struct GrpcCall {
  std::string host = {};  // IP address or DNS name
  std::uint16_t port = 0;
  std::string method = {};  // "/package.Service/Method"
  Headers metadata = {};    // lower-case names
  std::size_t max_message_bytes = 16UZ << 20;
};

[[nodiscard]] Task<Result<std::string>> grpc_call(AsioLoop& loop, GrpcCall call,
                                                  std::string request, Deadline deadline);

// The meaning of a grpc-status number, 1 to 16, for a caller of Davit.
[[nodiscard]] Code grpc_code(unsigned status);
[[nodiscard]] std::string_view grpc_status_name(unsigned status);  // "NOT_FOUND"

}  // namespace davit::io
