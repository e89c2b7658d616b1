// H2Call: one HTTP/2 request and its answer as a state machine without I/O (nghttp2 inside).
//
//   H2Call call(headers, body, max_bytes);
//   loop: write call.output(); if call.ended() stop; call.feed(what has arrived)
//
// One thread; not movable (nghttp2 keeps its address). feed fails with kUnavailable when the other
// side does not speak HTTP/2.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/http.hpp"

namespace davit::io {

class H2Call {
 public:
  // `headers` with the pseudo-headers first. The call ends early once more than `max_bytes` of body
  // have come.
  H2Call(const Headers& headers, std::string body, std::size_t max_bytes);
  H2Call(const H2Call&) = delete;
  H2Call& operator=(const H2Call&) = delete;
  ~H2Call();

  // What is to be sent now; empty: nothing until more is fed.
  [[nodiscard]] Result<std::string> output();
  [[nodiscard]] Status feed(std::string_view input);
  [[nodiscard]] bool ended() const;  // by both sides, or reset, or too much came
  [[nodiscard]] bool too_much() const;
  [[nodiscard]] unsigned reset() const;  // HTTP/2 error code the stream was closed with; 0: none
  [[nodiscard]] const Headers& headers() const;  // of the answer, trailers last
  [[nodiscard]] const std::string& body() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace davit::io
