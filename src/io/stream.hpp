// Stream: one connected byte stream, TCP or TLS. What HTTP and gRPC are spoken over.
//
//   while (stream.buffered().find('\n') == npos) {
//     Result<bool> more = co_await stream.fill(deadline);
//     if (!more || !*more) …            // failed, or the peer has ended its side
//   }
//   stream.consume(n);
//   Status sent = co_await stream.write(std::make_shared<const std::string>("GET …"), deadline);
//
// On the loop's thread; at most one fill and one write at a time. The Stream owns its buffers and
// operations: a waiting coroutine may be destroyed at any time, and the next fill goes on where the
// last stopped; nothing that arrived is lost. Destroying the Stream closes the connection at once
// (whoever still waits gets kCancelled).
// Fails with kUnavailable (reset, cut, TLS) and kDeadlineExceeded (a fill may be tried again, a
// write leaves the stream unusable: how much was sent is unknown).
#pragma once

#include <coroutine>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/loop.hpp"

namespace davit::io {

class Stream {
 public:
  struct Impl;

  Stream() = default;  // empty: only to be assigned to
  explicit Stream(std::shared_ptr<Impl> impl);
  Stream(Stream&& other) noexcept = default;
  Stream& operator=(Stream&& other) noexcept;
  ~Stream();

  class FillAwaiter {
   public:
    FillAwaiter(std::shared_ptr<Impl> impl, Deadline deadline);
    FillAwaiter(const FillAwaiter&) = delete;
    FillAwaiter& operator=(const FillAwaiter&) = delete;
    ~FillAwaiter();
    [[nodiscard]] bool await_ready() const noexcept;
    void await_suspend(std::coroutine_handle<> handle);
    Result<bool> await_resume();

   private:
    friend struct Stream::Impl;
    std::shared_ptr<Impl> impl_;
    Deadline deadline_;
    std::coroutine_handle<> handle_;
    CallbackId timer_ = 0;
    bool expired_ = false;
  };

  class WriteAwaiter {
   public:
    WriteAwaiter(std::shared_ptr<Impl> impl, std::shared_ptr<const std::string> bytes,
                 Deadline deadline);
    WriteAwaiter(const WriteAwaiter&) = delete;
    WriteAwaiter& operator=(const WriteAwaiter&) = delete;
    ~WriteAwaiter();
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> handle);
    Status await_resume();

   private:
    friend struct Stream::Impl;
    std::shared_ptr<Impl> impl_;
    std::shared_ptr<const std::string> bytes_;
    Deadline deadline_;
    std::coroutine_handle<> handle_;
    CallbackId timer_ = 0;
    bool expired_ = false;
  };

  // co_await gives true when buffered() has grown, false when the peer has ended its side cleanly.
  [[nodiscard]] FillAwaiter fill(Deadline deadline) { return {impl_, deadline}; }
  // What has arrived and was not consumed; valid until the next fill or consume.
  [[nodiscard]] std::string_view buffered() const;
  void consume(std::size_t bytes);

  // co_await sends all bytes, in order.
  [[nodiscard]] WriteAwaiter write(std::shared_ptr<const std::string> bytes, Deadline deadline) {
    return {impl_, std::move(bytes), deadline};
  }
  // False while it is certain that no byte of the last write has left this process.
  [[nodiscard]] bool sent_any() const;
  // Tells the peer that nothing more will be sent; reading goes on.
  void end_writing();

  // Whoever waits gets kCancelled. Also done by the destructor.
  void close();

  // Connected, nothing has arrived and nothing is under way: fit to carry the next request.
  [[nodiscard]] bool is_quiet() const;
  // "10.0.0.1:6443"
  [[nodiscard]] const std::string& peer() const;
  [[nodiscard]] bool valid() const { return impl_ != nullptr; }
  // Frees the input buffer of a quiet stream until the next fill.
  void release_buffer();
  // For the sources of src/io only: stream_impl.hpp.
  [[nodiscard]] const std::shared_ptr<Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace davit::io
