// HTTP/1.1 on the wire: requests and answers to bytes, bytes to requests and answers. No I/O.
//
// Parsing is Boost.Beast's; this header keeps it out of sight. A reader is fed what has arrived and
// says how much of it was used; it is used for one message.
// Values, one thread. Malformed input is kUnavailable for answers (the server speaks nonsense) and
// kInvalid for requests, with a sentence that says what is wrong.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "io/http.hpp"

namespace davit::io {

// kInvalid when method, target or a header holds what may not be there (spaces, line ends).
// Content-Length, Transfer-Encoding and Connection are ours to set; other headers are sent as
// given.
[[nodiscard]] Result<std::string> serialize_request(const HttpRequest& request);

// The name of the first header that may not be sent so, if there is one.
[[nodiscard]] std::optional<std::string_view> malformed_header(const Headers& headers);

enum class Framing { kLength, kChunked, kUntilClose };
// Header and, with kLength, body of an answer. `to_head`: the body is not sent, its length is.
[[nodiscard]] std::string serialize_response(const HttpResponse& response, Framing framing,
                                             bool keep_alive, bool to_head);
[[nodiscard]] std::string serialize_chunk(std::string_view piece);  // empty: the last chunk
[[nodiscard]] std::string_view reason_phrase(unsigned status);

// Reads one answer (also past 1xx answers before it).
class ResponseReader {
 public:
  // `to_head`: the answer to a HEAD request, which has no body whatever its header says.
  explicit ResponseReader(bool to_head);
  ResponseReader(ResponseReader&&) noexcept;
  ResponseReader& operator=(ResponseReader&&) noexcept;
  ~ResponseReader();

  // Returns how many bytes of `input` were used; the rest must be offered again with more behind.
  [[nodiscard]] Result<std::size_t> feed(std::string_view input);
  // The other side has ended its side. An error if the answer is not whole.
  [[nodiscard]] Status feed_end();

  [[nodiscard]] bool started() const;      // any byte was used
  [[nodiscard]] bool header_done() const;  // status and headers are there
  [[nodiscard]] bool done() const;         // the whole answer was seen
  [[nodiscard]] bool keep_alive() const;   // the connection may carry another request

  [[nodiscard]] unsigned status() const;
  [[nodiscard]] Headers headers() const;
  // The announced length of the body, if there is one.
  [[nodiscard]] std::optional<std::uint64_t> content_length() const;
  // The body since the last call.
  [[nodiscard]] std::string take_body();
  [[nodiscard]] std::size_t body_size() const;  // what take_body would return

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Reads one request.
class RequestReader {
 public:
  RequestReader(std::size_t header_limit, std::size_t body_limit);
  RequestReader(RequestReader&&) noexcept;
  RequestReader& operator=(RequestReader&&) noexcept;
  ~RequestReader();

  // As above. Errors carry in refusal() the status to answer with (400, 413, 431).
  [[nodiscard]] Result<std::size_t> feed(std::string_view input);
  [[nodiscard]] unsigned refusal() const;

  [[nodiscard]] bool started() const;
  [[nodiscard]] bool header_done() const;
  [[nodiscard]] bool done() const;
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] bool expects_continue() const;  // "Expect: 100-continue"
  [[nodiscard]] bool is_http11() const;         // may be answered in chunks
  [[nodiscard]] HttpRequest take();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace davit::io
