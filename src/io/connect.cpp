#include "io/connect.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <vector>

#include "io/asio_access.hpp"
#include "io/completion.hpp"
#include "io/stream_impl.hpp"

namespace davit::io {

namespace asio = boost::asio;

namespace {

using Endpoints = std::vector<Tcp::endpoint>;

Error late(const std::string& doing, const std::string& peer) {
  return {Code::kDeadlineExceeded, fmt::format("{} {} did not end in time", doing, peer)};
}

Task<Result<Endpoints>> resolve(AsioLoop& loop, std::string host, std::uint16_t port,
                                Deadline deadline) {
  ErrorCode not_literal;
  const asio::ip::address address = asio::ip::make_address(host, not_literal);
  if (!not_literal) co_return Endpoints{{address, port}};

  auto resolver = std::make_shared<Tcp::resolver>(asio_context(loop));
  Completion<Result<Endpoints>> done(loop);
  resolver->async_resolve(
      host, std::to_string(port),
      [resolver, host, finish = done.handler()](const ErrorCode& error,
                                                const Tcp::resolver::results_type& found) {
        if (error) {
          finish(fail(Code::kUnavailable,
                      fmt::format("the name {} cannot be resolved: {}", host, error.message())));
          return;
        }
        finish(Endpoints(found.begin(), found.end()));
      });
  std::optional<Result<Endpoints>> got = co_await done.until(deadline);
  if (!got) {
    resolver->cancel();
    co_return fail(late("resolving", host));
  }
  co_return std::move(*got);
}

// A peer that vanished without a word is noticed after about a minute, also on an idle watch.
void set_options(Tcp::socket& socket) {
  ErrorCode ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  const auto set = [&](int option, int value) {
    (void)::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  };
  set(TCP_KEEPIDLE, 30);
  set(TCP_KEEPINTVL, 10);
  set(TCP_KEEPCNT, 3);
}

Task<Result<Tcp::socket>> connect_one(AsioLoop& loop, Tcp::endpoint endpoint, std::string peer,
                                      Deadline deadline) {
  auto socket = std::make_shared<Tcp::socket>(asio_context(loop));
  struct CloseUnlessMoved {
    std::shared_ptr<Tcp::socket> socket;
    ~CloseUnlessMoved() {
      ErrorCode ignored;
      socket->close(ignored);
    }
  } guard{socket};
  Completion<ErrorCode> done(loop);
  socket->async_connect(
      endpoint, [socket, finish = done.handler()](const ErrorCode& error) { finish(error); });
  const std::optional<ErrorCode> error = co_await done.until(deadline);
  if (!error) co_return fail(late("connecting to", peer));
  if (*error) co_return fail(socket_error(*error, peer));
  set_options(*socket);
  co_return std::move(*socket);
}

Task<Result<Tcp::socket>> connect_any(AsioLoop& loop, std::string host, std::uint16_t port,
                                      Deadline deadline) {
  Result<Endpoints> endpoints = co_await resolve(loop, host, port, deadline);
  if (!endpoints) co_return fail(endpoints.error());
  const std::string peer = endpoint_name(host, port);
  std::optional<Error> first_error;
  for (std::size_t i = 0; i < endpoints->size(); ++i) {
    const auto left = static_cast<Duration::rep>(endpoints->size() - i);
    const Deadline share =
        left == 1 ? deadline
                  : deadline.earlier(Deadline::after(loop, deadline.remaining(loop) / left));
    Result<Tcp::socket> socket = co_await connect_one(loop, (*endpoints)[i], peer, share);
    if (socket) co_return socket;
    if (!first_error) first_error = std::move(socket.error());
  }
  co_return fail(first_error ? std::move(*first_error)
                             : Error(Code::kUnavailable, fmt::format("{} has no address", host)));
}

// What the certificate must name, and what the server is told that we want.
void expect_name(SSL* ssl, const std::string& name) {
  ErrorCode not_literal;
  asio::ip::make_address(name, not_literal);
  if (not_literal) {
    SSL_set_tlsext_host_name(ssl, name.c_str());
    SSL_set1_host(ssl, name.c_str());
  } else {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name.c_str());
  }
}

Error handshake_error(const ErrorCode& error, SSL* ssl, const std::string& peer,
                      const std::string& name) {
  const long verdict = SSL_get_verify_result(ssl);
  if (verdict == X509_V_ERR_HOSTNAME_MISMATCH || verdict == X509_V_ERR_IP_ADDRESS_MISMATCH) {
    return {Code::kUnavailable,
            fmt::format("the certificate of {} is not valid for {}", peer, name)};
  }
  if (verdict != X509_V_OK) {
    return {Code::kUnavailable, fmt::format("the certificate of {} is not trusted: {}", peer,
                                            X509_verify_cert_error_string(verdict))};
  }
  return socket_error(error, peer);
}

Task<Status> handshake(AsioLoop& loop, std::shared_ptr<Stream::Impl> impl,
                       std::shared_ptr<TlsClient> tls, std::string name, Deadline deadline) {
  const Result<std::shared_ptr<TlsContext>> context = tls->context();
  if (!context) co_return fail(context.error());
  impl->tls = std::make_unique<Stream::Impl::Tls>(impl->socket, (*context)->ssl);
  SSL* ssl = impl->tls->native_handle();
  expect_name(ssl, name);
  Completion<ErrorCode> done(loop);
  impl->tls->async_handshake(
      asio::ssl::stream_base::client,
      [impl, finish = done.handler()](const ErrorCode& error) { finish(error); });
  const std::optional<ErrorCode> error = co_await done.until(deadline);
  if (!error) co_return fail(late("the TLS handshake with", impl->peer));
  if (*error) co_return fail(handshake_error(*error, ssl, impl->peer, name));
  co_return Status{};
}

}  // namespace

Task<Result<Stream>> connect(AsioLoop& loop, std::string host, std::uint16_t port,
                             std::shared_ptr<TlsClient> tls, Deadline deadline) {
  Result<Tcp::socket> socket = co_await connect_any(loop, host, port, deadline);
  if (!socket) co_return fail(std::move(socket.error()));
  auto impl = std::make_shared<Stream::Impl>(loop, std::move(*socket), endpoint_name(host, port));
  Stream stream(impl);
  if (tls) {
    const std::string& configured = tls->config().server_name;
    Status secured =
        co_await handshake(loop, impl, tls, configured.empty() ? host : configured, deadline);
    if (!secured) co_return fail(std::move(secured.error()));
  }
  co_return std::move(stream);
}

Task<Status> can_connect(AsioLoop& loop, std::string host, std::uint16_t port, Deadline deadline) {
  Result<Tcp::socket> socket = co_await connect_any(loop, std::move(host), port, deadline);
  if (!socket) co_return fail(std::move(socket.error()));
  co_return Status{};
}

}  // namespace davit::io
