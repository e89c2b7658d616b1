// The inside of Stream: socket, TLS, buffers, and the operations under way. For src/io only.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>

#include "io/asio_loop.hpp"
#include "io/stream.hpp"
#include "io/tls_access.hpp"

namespace davit::io {

using Tcp = boost::asio::ip::tcp;
using ErrorCode = boost::system::error_code;

// A failed operation with `peer` as an Error in plain words.
[[nodiscard]] Error socket_error(const ErrorCode& error, std::string_view peer);

// "1.2.3.4:80", "[::1]:80", "name:80".
[[nodiscard]] std::string endpoint_name(std::string_view host, std::uint16_t port);

struct Stream::Impl : std::enable_shared_from_this<Stream::Impl> {
  using Tls = boost::asio::ssl::stream<Tcp::socket&>;

  Impl(AsioLoop& l, Tcp::socket s, std::string p)
      : loop(&l), socket(std::move(s)), peer(std::move(p)) {}

  AsioLoop* loop;
  Tcp::socket socket;
  std::unique_ptr<Tls> tls;
  std::string peer;
  bool closed = false;

  // Input: bytes [begin, end) of storage wait for the consumer.
  std::unique_ptr<char[]> storage;
  std::size_t capacity = 0;
  std::size_t wanted = 0;  // capacity that recent reads could have used
  std::size_t begin = 0;
  std::size_t end = 0;
  bool reading = false;
  bool unseen = false;  // bytes arrived that no fill has reported
  ErrorCode read_error;
  FillAwaiter* reader = nullptr;

  // Output.
  bool writing = false;
  bool broken_output = false;  // a write was given up half-way
  std::size_t written = 0;
  ErrorCode write_error;
  WriteAwaiter* writer = nullptr;

  void close();
  void start_read();
  void start_write(std::shared_ptr<const std::string> bytes);
  void on_read(const ErrorCode& error, std::size_t bytes);
  void on_write(const ErrorCode& error, std::size_t bytes);
  void make_room();
};

}  // namespace davit::io
