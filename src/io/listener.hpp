// Listener: accepts connections on one address and port.
//
//   auto listener = Listener::bind(loop, "127.0.0.1", 0);
//   Result<Stream> next = co_await listener->accept();
//
// On the loop's thread; one accept at a time. Destroying the Listener closes the port; an accept
// under way then ends with kCancelled. accept fails with kUnavailable when the process is out of
// file descriptors: wait a little before the next try.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/asio_loop.hpp"
#include "io/stream.hpp"
#include "io/task.hpp"
#include "io/tls.hpp"

namespace davit::io {

class Listener {
 public:
  // `address` is an IP address; "::" also takes IPv4 where the system allows; port 0: any free one.
  // kInvalid for a bad address, kUnavailable when the port cannot be had.
  [[nodiscard]] static Result<Listener> bind(AsioLoop& loop, const std::string& address,
                                             std::uint16_t port);
  Listener(Listener&&) noexcept;
  Listener& operator=(Listener&&) noexcept;
  ~Listener();

  [[nodiscard]] std::uint16_t port() const;
  [[nodiscard]] Task<Result<Stream>> accept();

 private:
  struct Impl;
  explicit Listener(std::shared_ptr<Impl> impl);
  static Task<Result<Stream>> accept_one(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// The server's side of a TLS handshake on an accepted connection.
[[nodiscard]] Task<Result<Stream>> accept_tls(AsioLoop& loop, Stream stream,
                                              std::shared_ptr<TlsServer> tls, Deadline deadline);

}  // namespace davit::io
