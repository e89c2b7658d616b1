#include "io/listener.hpp"

#include <fmt/format.h>

#include "io/asio_access.hpp"
#include "io/completion.hpp"
#include "io/connect.hpp"
#include "io/stream_impl.hpp"

namespace davit::io {

namespace asio = boost::asio;

struct Listener::Impl {
  AsioLoop* loop;
  Tcp::acceptor acceptor;

  explicit Impl(AsioLoop& l) : loop(&l), acceptor(asio_context(l)) {}
  void close() {
    ErrorCode ignored;
    acceptor.close(ignored);
  }
};

Listener::Listener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
Listener::Listener(Listener&&) noexcept = default;
Listener& Listener::operator=(Listener&& other) noexcept {
  if (this != &other) {
    if (impl_) impl_->close();
    impl_ = std::move(other.impl_);
  }
  return *this;
}
Listener::~Listener() {
  if (impl_) impl_->close();
}

Result<Listener> Listener::bind(AsioLoop& loop, const std::string& address, std::uint16_t port) {
  ErrorCode error;
  const asio::ip::address ip = asio::ip::make_address(address, error);
  if (error) return fail(Code::kInvalid, fmt::format("\"{}\" is not an IP address", address));
  const Tcp::endpoint endpoint(ip, port);
  auto impl = std::make_shared<Impl>(loop);
  impl->acceptor.open(endpoint.protocol(), error);
  if (!error) impl->acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) impl->acceptor.bind(endpoint, error);
  if (!error) impl->acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    return fail(Code::kUnavailable, fmt::format("cannot listen on {}: {}",
                                                endpoint_name(address, port), error.message()));
  }
  return Listener(std::move(impl));
}

std::uint16_t Listener::port() const {
  ErrorCode ignored;
  return impl_->acceptor.local_endpoint(ignored).port();
}

Task<Result<Stream>> Listener::accept() { return accept_one(impl_); }

Task<Result<Stream>> Listener::accept_one(std::shared_ptr<Impl> impl) {
  Completion<Result<Tcp::socket>> done(*impl->loop);
  impl->acceptor.async_accept(
      [impl, finish = done.handler()](const ErrorCode& error, Tcp::socket socket) {
        if (error) {
          finish(fail(socket_error(error, "the listener")));
        } else {
          finish(std::move(socket));
        }
      });
  std::optional<Result<Tcp::socket>> socket = co_await done.until(Deadline::never());
  if (!*socket) co_return fail(std::move(socket->error()));
  ErrorCode ignored;
  (*socket)->set_option(Tcp::no_delay(true), ignored);
  const Tcp::endpoint remote = (*socket)->remote_endpoint(ignored);
  co_return Stream(
      std::make_shared<Stream::Impl>(*impl->loop, std::move(**socket),
                                     endpoint_name(remote.address().to_string(), remote.port())));
}

Task<Result<Stream>> accept_tls(AsioLoop& loop, Stream stream, std::shared_ptr<TlsServer> tls,
                                Deadline deadline) {
  const Result<std::shared_ptr<TlsContext>> context = tls->context();
  if (!context) co_return fail(context.error());
  const std::shared_ptr<Stream::Impl> impl = stream.impl();
  impl->tls = std::make_unique<Stream::Impl::Tls>(impl->socket, (*context)->ssl);
  Completion<ErrorCode> done(loop);
  impl->tls->async_handshake(
      asio::ssl::stream_base::server,
      [impl, finish = done.handler()](const ErrorCode& error) { finish(error); });
  const std::optional<ErrorCode> error = co_await done.until(deadline);
  if (!error) {
    co_return fail(Code::kDeadlineExceeded,
                   fmt::format("the TLS handshake with {} did not end in time", impl->peer));
  }
  if (*error) co_return fail(socket_error(*error, impl->peer));
  co_return std::move(stream);
}

}  // namespace davit::io
