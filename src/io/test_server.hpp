// RawServer: a scripted peer for tests: each accepted connection runs `script` with its number.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "io/listener.hpp"
#include "io/scope.hpp"

namespace davit::io::testing {

inline constexpr Duration kPatience = std::chrono::seconds(60);

class RawServer {
 public:
  using Script = std::function<Task<void>(Stream, int number)>;

  RawServer(AsioLoop& loop, Script script)
      : script_(std::move(script)),
        listener_(Listener::bind(loop, "127.0.0.1", 0).value()),
        connections_(loop),
        acceptor_(loop) {
    acceptor_.spawn(run());
  }
  [[nodiscard]] std::uint16_t port() const { return listener_.port(); }
  [[nodiscard]] int accepted() const { return accepted_; }

 private:
  Task<void> run() {
    while (true) {
      Result<Stream> stream = co_await listener_.accept();
      if (!stream) co_return;
      connections_.spawn(script_(std::move(*stream), accepted_++));
    }
  }
  Script script_;
  Listener listener_;
  int accepted_ = 0;
  Scope connections_;
  Scope acceptor_;
};

// Everything up to the blank line after a request's header; empty at the end of the connection.
inline Task<std::string> read_header(AsioLoop& loop, Stream& stream) {
  while (true) {
    const std::size_t end = stream.buffered().find("\r\n\r\n");
    if (end != std::string_view::npos) {
      std::string header(stream.buffered().substr(0, end + 4));
      stream.consume(end + 4);
      co_return header;
    }
    const Result<bool> more = co_await stream.fill(Deadline::after(loop, kPatience));
    if (!more || !*more) co_return "";
  }
}

inline Task<void> say(AsioLoop& loop, Stream& stream, std::string text) {
  (void)co_await stream.write(std::make_shared<const std::string>(std::move(text)),
                              Deadline::after(loop, kPatience));
}

// Reads and drops until the other side closes.
inline Task<void> drain(AsioLoop& loop, Stream& stream) {
  while (true) {
    stream.consume(stream.buffered().size());
    const Result<bool> more = co_await stream.fill(Deadline::after(loop, kPatience));
    if (!more || !*more) co_return;
  }
}

}  // namespace davit::io::testing
