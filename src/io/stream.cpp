#include "io/stream.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>

#include "io/stream_impl.hpp"

namespace davit::io {

namespace asio = boost::asio;

namespace {

constexpr std::size_t kFirstBuffer = 16UZ << 10;
constexpr std::size_t kLargestRead = 256UZ << 10;
constexpr std::size_t kMinimumRoom = 4UZ << 10;

Error cancelled(const std::string& peer) {
  return {Code::kCancelled, fmt::format("the connection to {} was closed by this side", peer)};
}

}  // namespace

std::string endpoint_name(std::string_view host, std::uint16_t port) {
  const bool bare_ipv6 = host.find(':') != std::string_view::npos && !host.starts_with('[');
  return bare_ipv6 ? fmt::format("[{}]:{}", host, port) : fmt::format("{}:{}", host, port);
}

Error socket_error(const ErrorCode& error, std::string_view peer) {
  const auto unavailable = [](std::string text) {
    return Error(Code::kUnavailable, std::move(text));
  };
  if (error == asio::error::operation_aborted) return cancelled(std::string(peer));
  if (error == asio::error::connection_refused)
    return unavailable(fmt::format("connection to {} refused", peer));
  if (error == asio::error::connection_reset || error == asio::error::broken_pipe)
    return unavailable(fmt::format("connection to {} reset", peer));
  if (error == asio::error::eof || error == asio::ssl::error::stream_truncated)
    return unavailable(fmt::format("connection to {} closed by the other side", peer));
  if (error == asio::error::host_unreachable || error == asio::error::network_unreachable)
    return unavailable(fmt::format("no route to {}", peer));
  if (error.category() == asio::error::get_ssl_category())
    return unavailable(fmt::format("TLS with {} failed: {}", peer, error.message()));
  return unavailable(fmt::format("connection to {} failed: {}", peer, error.message()));
}

void Stream::Impl::close() {
  if (std::exchange(closed, true)) return;
  ErrorCode ignored;
  socket.close(ignored);
}

void Stream::Impl::make_room() {
  if (begin == end) {
    begin = end = 0;
    if (capacity < wanted) {
      capacity = wanted;
      storage = std::make_unique_for_overwrite<char[]>(capacity);
    }
  }
  if (capacity - end >= kMinimumRoom) return;
  const std::size_t used = end - begin;
  if (begin > 0 && capacity - used >= kMinimumRoom && used <= capacity / 2) {
    std::memmove(storage.get(), storage.get() + begin, used);
  } else {
    capacity = capacity == 0 ? kFirstBuffer : 2 * capacity;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity);
    if (used > 0) std::memcpy(larger.get(), storage.get() + begin, used);
    storage = std::move(larger);
  }
  begin = 0;
  end = used;
}

void Stream::Impl::start_read() {
  make_room();
  reading = true;
  const auto room = asio::buffer(storage.get() + end, capacity - end);
  auto handler = [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
    self->on_read(error, bytes);
  };
  if (tls) {
    tls->async_read_some(room, std::move(handler));
  } else {
    socket.async_read_some(room, std::move(handler));
  }
}

void Stream::Impl::on_read(const ErrorCode& error, std::size_t bytes) {
  reading = false;
  end += bytes;
  if (end == capacity && capacity < kLargestRead) wanted = 2 * capacity;
  unseen = unseen || bytes > 0;
  if (error) read_error = error;
  if (reader != nullptr) std::exchange(reader, nullptr)->handle_.resume();
}

void Stream::Impl::start_write(std::shared_ptr<const std::string> bytes) {
  writing = true;
  written = 0;
  const auto data = asio::buffer(*bytes);
  auto handler = [self = shared_from_this(), bytes = std::move(bytes)](
                     const ErrorCode& error, std::size_t sent) { self->on_write(error, sent); };
  if (tls) {
    asio::async_write(*tls, data, std::move(handler));
  } else {
    asio::async_write(socket, data, std::move(handler));
  }
}

void Stream::Impl::on_write(const ErrorCode& error, std::size_t bytes) {
  writing = false;
  written = bytes;
  write_error = error;
  if (writer != nullptr) std::exchange(writer, nullptr)->handle_.resume();
}

// --- Stream

Stream::Stream(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  if (this != &other) {
    if (impl_) impl_->close();
    impl_ = std::move(other.impl_);
  }
  return *this;
}

Stream::~Stream() {
  if (impl_) impl_->close();
}

std::string_view Stream::buffered() const {
  return {impl_->storage.get() + impl_->begin, impl_->end - impl_->begin};
}

void Stream::consume(std::size_t bytes) { impl_->begin += bytes; }

bool Stream::sent_any() const { return impl_->writing || impl_->written > 0; }

void Stream::end_writing() {
  ErrorCode ignored;
  impl_->socket.shutdown(Tcp::socket::shutdown_send, ignored);
}

void Stream::close() { impl_->close(); }

bool Stream::is_quiet() const {
  Impl& s = *impl_;
  if (s.closed || s.reading || s.writing || s.read_error || s.write_error || s.broken_output ||
      s.begin != s.end) {
    return false;
  }
  char byte = 0;
  const ssize_t got = ::recv(s.socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

void Stream::release_buffer() {
  if (impl_->reading || impl_->begin != impl_->end) return;
  impl_->storage.reset();
  impl_->wanted = impl_->capacity = impl_->begin = impl_->end = 0;
}

const std::string& Stream::peer() const { return impl_->peer; }

// --- waiting for input

Stream::FillAwaiter::FillAwaiter(std::shared_ptr<Impl> impl, Deadline deadline)
    : impl_(std::move(impl)), deadline_(deadline) {}

Stream::FillAwaiter::~FillAwaiter() {
  if (impl_->reader == this) impl_->reader = nullptr;
  if (timer_ != 0) impl_->loop->cancel(timer_);
}

bool Stream::FillAwaiter::await_ready() const noexcept {
  return impl_->unseen || impl_->read_error || impl_->closed;
}

void Stream::FillAwaiter::await_suspend(std::coroutine_handle<> handle) {
  handle_ = handle;
  impl_->reader = this;
  if (!impl_->reading) impl_->start_read();
  if (deadline_.at == Deadline::never().at) return;
  timer_ = impl_->loop->call_at(deadline_.at, [this] {
    timer_ = 0;
    expired_ = true;
    impl_->reader = nullptr;
    handle_.resume();
  });
}

Result<bool> Stream::FillAwaiter::await_resume() {
  if (impl_->closed) return fail(cancelled(impl_->peer));
  if (std::exchange(impl_->unseen, false)) return true;
  if (expired_) {
    return fail(Code::kDeadlineExceeded, fmt::format("no answer from {} in time", impl_->peer));
  }
  if (impl_->read_error == asio::error::eof) return false;
  return fail(socket_error(impl_->read_error, impl_->peer));
}

// --- waiting for output

Stream::WriteAwaiter::WriteAwaiter(std::shared_ptr<Impl> impl,
                                   std::shared_ptr<const std::string> bytes, Deadline deadline)
    : impl_(std::move(impl)), bytes_(std::move(bytes)), deadline_(deadline) {}

Stream::WriteAwaiter::~WriteAwaiter() {
  if (impl_->writer == this) {
    impl_->writer = nullptr;
    impl_->broken_output = true;
  }
  if (timer_ != 0) impl_->loop->cancel(timer_);
}

void Stream::WriteAwaiter::await_suspend(std::coroutine_handle<> handle) {
  handle_ = handle;
  impl_->writer = this;
  if (impl_->writing || impl_->broken_output || impl_->closed) {
    impl_->write_error = asio::error::operation_aborted;
    timer_ = impl_->loop->post([this] {
      timer_ = 0;
      impl_->writer = nullptr;
      handle_.resume();
    });
    return;
  }
  impl_->start_write(std::move(bytes_));
  if (deadline_.at == Deadline::never().at) return;
  timer_ = impl_->loop->call_at(deadline_.at, [this] {
    timer_ = 0;
    expired_ = true;
    impl_->writer = nullptr;
    impl_->broken_output = true;
    handle_.resume();
  });
}

Status Stream::WriteAwaiter::await_resume() {
  if (expired_) {
    return fail(Code::kDeadlineExceeded,
                fmt::format("sending to {} did not end in time", impl_->peer));
  }
  if (impl_->write_error) return fail(socket_error(impl_->write_error, impl_->peer));
  return {};
}

}  // namespace davit::io
