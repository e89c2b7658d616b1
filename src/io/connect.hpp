// connect: from a host and a port to a Stream; can_connect: the probe that only wants to know.
//
//   Result<Stream> stream = co_await connect(loop, "10.0.0.1", 6443, tls, deadline);
//
// The host is an IP address or a DNS name (resolved by the system, in one helper thread of Asio);
// its addresses are tried in turn, each with its share of the time left. `tls` null: plain TCP. On
// the loop's thread; destroying the task closes what it has opened. Fails with kUnavailable
// (refused, no route, name unknown, TLS), kDeadlineExceeded, or kInvalid (the TLS files are
// unusable), each a sentence that names the peer.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/asio_loop.hpp"
#include "io/stream.hpp"
#include "io/task.hpp"
#include "io/tls.hpp"

namespace davit::io {

[[nodiscard]] Task<Result<Stream>> connect(AsioLoop& loop, std::string host, std::uint16_t port,
                                           std::shared_ptr<TlsClient> tls, Deadline deadline);

// Success when a TCP connection was accepted; it is closed at once and nothing is sent.
[[nodiscard]] Task<Status> can_connect(AsioLoop& loop, std::string host, std::uint16_t port,
                                       Deadline deadline);

// "10.0.0.1:6443", "[::1]:6443", "name:6443"
[[nodiscard]] std::string endpoint_name(std::string_view host, std::uint16_t port);

}  // namespace davit::io
