#include "io/grpc_client.hpp"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <charconv>

#include "io/connect.hpp"
#include "io/h2_call.hpp"
#include "io/http1.hpp"

namespace davit::io {

namespace {

constexpr std::size_t kPrefix = 5;  // flag of compression, then the length, big-endian

std::string frame(std::string_view message) {
  std::string out;
  out.reserve(kPrefix + message.size());
  out += '\0';
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(message.size() >> shift & 0xff);
  out += message;
  return out;
}

// Milliseconds, rounded up, in the eight digits the protocol allows.
std::string timeout_of(Duration left) {
  const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return fmt::format("{}m", std::clamp<decltype(ms)>(ms, 1, 99'999'999));
}

Result<Headers> request_headers(const GrpcCall& call, Duration left) {
  Headers headers{{":method", "POST"},     {":scheme", "http"},
                  {":path", call.method},  {":authority", endpoint_name(call.host, call.port)},
                  {"te", "trailers"},      {"content-type", "application/grpc"},
                  {"user-agent", "davit"}, {"grpc-timeout", timeout_of(left)}};
  if (!call.method.starts_with('/') || malformed_header({{"path", call.method}})) {
    return fail(Code::kInvalid, fmt::format("\"{}\" is not a gRPC method path", call.method));
  }
  if (const auto bad = malformed_header(call.metadata)) {
    return fail(Code::kInvalid, fmt::format("the gRPC metadata \"{}\" is malformed", *bad));
  }
  headers.insert(headers.end(), call.metadata.begin(), call.metadata.end());
  return headers;
}

std::string percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, value, 16).ptr ==
            text.data() + i + 3) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::optional<unsigned> number(std::optional<std::string_view> text) {
  unsigned value = 0;
  if (!text ||
      std::from_chars(text->data(), text->data() + text->size(), value).ec != std::errc{}) {
    return std::nullopt;
  }
  return value;
}

// What an HTTP status without a grpc-status means (grpc doc/http-grpc-status-mapping.md).
unsigned status_of_http(unsigned http) {
  switch (http) {
    case 400:
      return 13;
    case 401:
      return 16;
    case 403:
      return 7;
    case 404:
      return 12;
    case 429:
    case 502:
    case 503:
    case 504:
      return 14;
    default:
      return 2;
  }
}

Error grpc_error(unsigned status, std::string message) {
  return Error(grpc_code(status), std::move(message))
      .with_reason(std::string(grpc_status_name(status)));
}

Result<std::string> message_of(std::string_view body, const std::string& peer) {
  if (body.size() < kPrefix) {
    return fail(Code::kUnavailable, fmt::format("{} answered without a message", peer));
  }
  if (body[0] != 0) return fail(Code::kUnsupported, fmt::format("{} compressed its answer", peer));
  std::size_t size = 0;
  for (std::size_t i = 1; i < kPrefix; ++i) size = size << 8 | static_cast<unsigned char>(body[i]);
  if (body.size() != kPrefix + size) {
    return fail(Code::kUnavailable, fmt::format("the message of {} is not whole", peer));
  }
  return std::string(body.substr(kPrefix));
}

Result<std::string> result_of(const H2Call& h2, const GrpcCall& call) {
  const std::string peer = endpoint_name(call.host, call.port);
  if (h2.too_much()) {
    return fail(Code::kInvalid, fmt::format("the answer of {} is larger than {} bytes", peer,
                                            call.max_message_bytes));
  }
  const auto status = number(find_header(h2.headers(), "grpc-status"));
  if (status && *status != 0) {
    std::string text = percent_decode(find_header(h2.headers(), "grpc-message").value_or(""));
    return fail(grpc_error(
        *status, text.empty() ? fmt::format("{} answered {}", peer, grpc_status_name(*status))
                              : std::move(text)));
  }
  if (status) return message_of(h2.body(), peer);
  const unsigned http = number(find_header(h2.headers(), ":status")).value_or(0);
  if (http != 0 && http != 200) {
    return fail(grpc_error(status_of_http(http), fmt::format("{} answered HTTP {}", peer, http)));
  }
  if (h2.reset() != 0) {
    return fail(Code::kUnavailable,
                fmt::format("{} reset the call: {}", peer, nghttp2_http2_strerror(h2.reset())));
  }
  return fail(Code::kUnavailable, fmt::format("{} ended the call without a status", peer));
}

Task<Status> converse(Stream& stream, H2Call& h2, Deadline deadline) {
  while (true) {
    Result<std::string> out = h2.output();
    if (!out) co_return fail(std::move(out.error()));
    if (!out->empty()) {
      Status sent =
          co_await stream.write(std::make_shared<const std::string>(std::move(*out)), deadline);
      if (!sent) co_return sent;
      continue;
    }
    Result<bool> more = co_await stream.fill(deadline);
    if (!more) co_return fail(std::move(more.error()));
    if (!*more)
      co_return fail(Code::kUnavailable, "the connection was closed before the answer was whole");
    Status fed = h2.feed(stream.buffered());
    if (!fed) co_return fed;
    stream.consume(stream.buffered().size());
    if (h2.ended()) co_return Status{};
  }
}

}  // namespace

Task<Result<std::string>> grpc_call(AsioLoop& loop, GrpcCall call, std::string request,
                                    Deadline deadline) {
  const Result<Headers> headers = request_headers(call, deadline.remaining(loop));
  if (!headers) co_return fail(headers.error());
  Result<Stream> stream = co_await connect(loop, call.host, call.port, nullptr, deadline);
  if (!stream) co_return fail(std::move(stream.error()));
  H2Call h2(*headers, frame(request), kPrefix + call.max_message_bytes);
  Status done = co_await converse(*stream, h2, deadline);
  if (!done) {
    co_return fail(
        std::move(done.error())
            .because(fmt::format("no answer from {}", endpoint_name(call.host, call.port))));
  }
  co_return result_of(h2, call);
}

}  // namespace davit::io
