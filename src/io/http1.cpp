#include "io/http1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/fields.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>
#include <boost/beast/http/status.hpp>
#include <cctype>

#include "io/http1_body.hpp"

namespace davit::io {

namespace http = boost::beast::http;
namespace asio = boost::asio;
using BeastError = boost::beast::error_code;

namespace {

constexpr std::uint32_t kResponseHeaderLimit = 64U << 10;

bool is_token(std::string_view text) {
  const auto good = [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("!#$%&'*+-.^_`|~").contains(static_cast<char>(c));
  };
  return !text.empty() && std::ranges::all_of(text, good);
}

bool is_field_value(std::string_view text) {
  return std::ranges::none_of(text,
                              [](unsigned char c) { return c < 0x20 ? c != '\t' : c == 0x7f; });
}

bool is_target(std::string_view text) {
  return (text.starts_with('/') || text == "*") &&
         std::ranges::none_of(text, [](unsigned char c) { return c <= 0x20 || c == 0x7f; });
}

Headers copy(const http::fields& fields) {
  Headers headers;
  for (const auto& field : fields) headers.emplace_back(field.name_string(), field.value());
  return headers;
}

// What describes the framing is ours to say.
bool is_framing(std::string_view name) {
  return boost::beast::iequals(name, "content-length") ||
         boost::beast::iequals(name, "transfer-encoding") ||
         boost::beast::iequals(name, "connection");
}

void append_headers(std::string& out, const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (is_framing(name)) continue;
    fmt::format_to(std::back_inserter(out), "{}: {}\r\n", name, value);
  }
}

// Offers `input` to a Beast parser until it has used all it can.
template <class Parser>
std::size_t put(Parser& parser, std::string_view input, BeastError& error) {
  std::size_t used = 0;
  while (!parser.is_done() && used < input.size() && !error) {
    const std::size_t n = parser.put(asio::buffer(input.substr(used)), error);
    used += n;
    if (n == 0) break;
  }
  if (error == http::error::need_more) error = {};
  return used;
}

}  // namespace

std::optional<std::string_view> malformed_header(const Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (!is_token(name) || !is_field_value(value)) return name;
  }
  return std::nullopt;
}

Result<std::string> serialize_request(const HttpRequest& request) {
  if (!is_token(request.method)) return fail(Code::kInvalid, "the HTTP method is malformed");
  if (!is_target(request.target)) {
    return fail(Code::kInvalid,
                fmt::format("the request target \"{}\" is malformed", request.target));
  }
  if (const auto bad = malformed_header(request.headers)) {
    return fail(Code::kInvalid, fmt::format("the request header \"{}\" is malformed", *bad));
  }
  std::string out = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
  append_headers(out, request.headers);
  const bool bodiless =
      request.method == "GET" || request.method == "HEAD" || request.method == "DELETE";
  if (!request.body.empty() || !bodiless) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", request.body.size());
  }
  out += "\r\n";
  out += request.body;
  return out;
}

std::string_view reason_phrase(unsigned status) {
  const auto text = http::obsolete_reason(http::int_to_status(status));
  return {text.data(), text.size()};
}

std::string serialize_response(const HttpResponse& response, Framing framing, bool keep_alive,
                               bool to_head) {
  const bool bodiless = response.status < 200 || response.status == 204 || response.status == 304;
  std::string out =
      fmt::format("HTTP/1.1 {} {}\r\n", response.status, reason_phrase(response.status));
  append_headers(out, response.headers);
  if (!keep_alive) out += "Connection: close\r\n";
  if (framing == Framing::kChunked) {
    out += "Transfer-Encoding: chunked\r\n";
  } else if (framing == Framing::kLength && !bodiless) {
    fmt::format_to(std::back_inserter(out), "Content-Length: {}\r\n", response.body.size());
  }
  out += "\r\n";
  if (framing == Framing::kLength && !to_head && !bodiless) out += response.body;
  return out;
}

std::string serialize_chunk(std::string_view piece) {
  return piece.empty() ? std::string("0\r\n\r\n")
                       : fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
}

// --- answers

struct ResponseReader::Impl {
  using Parser = http::response_parser<detail::PiecesBody>;
  bool to_head;
  bool started = false;
  std::optional<Parser> parser;

  explicit Impl(bool head) : to_head(head) { reset(); }

  void reset() {
    parser.emplace();
    parser->header_limit(kResponseHeaderLimit);
    parser->body_limit(boost::none);
    parser->eager(true);
    parser->skip(to_head);
  }
};

ResponseReader::ResponseReader(bool to_head) : impl_(std::make_unique<Impl>(to_head)) {}
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;
ResponseReader& ResponseReader::operator=(ResponseReader&&) noexcept = default;
ResponseReader::~ResponseReader() = default;

Result<std::size_t> ResponseReader::feed(std::string_view input) {
  std::size_t used = 0;
  while (true) {
    BeastError error;
    used += put(*impl_->parser, input.substr(used), error);
    impl_->started = impl_->started || used > 0;
    if (error) {
      return fail(Code::kUnavailable, fmt::format("the answer is malformed: {}", error.message()));
    }
    const bool interim =
        impl_->parser->is_done() && status() >= 100 && status() < 200 && status() != 101;
    if (!interim) return used;
    impl_->reset();
  }
}

Status ResponseReader::feed_end() {
  if (!header_done())
    return fail(Code::kUnavailable, "the connection was closed before the answer was whole");
  BeastError error;
  if (!impl_->parser->is_done()) impl_->parser->put_eof(error);
  if (error)
    return fail(Code::kUnavailable, "the connection was closed before the answer was whole");
  return {};
}

bool ResponseReader::started() const { return impl_->started; }
bool ResponseReader::header_done() const { return impl_->parser->is_header_done(); }
bool ResponseReader::done() const { return impl_->parser->is_done(); }
bool ResponseReader::keep_alive() const { return impl_->parser->keep_alive(); }
unsigned ResponseReader::status() const { return impl_->parser->get().result_int(); }
Headers ResponseReader::headers() const { return copy(impl_->parser->get().base()); }
std::optional<std::uint64_t> ResponseReader::content_length() const {
  const auto length = impl_->parser->content_length();
  return length ? std::optional<std::uint64_t>(*length) : std::nullopt;
}
std::string ResponseReader::take_body() { return std::exchange(impl_->parser->get().body(), {}); }
std::size_t ResponseReader::body_size() const { return impl_->parser->get().body().size(); }

// --- requests

struct RequestReader::Impl {
  http::request_parser<detail::PiecesBody> parser;
  bool started = false;
  unsigned refusal = 400;
};

RequestReader::RequestReader(std::size_t header_limit, std::size_t body_limit)
    : impl_(std::make_unique<Impl>()) {
  impl_->parser.header_limit(static_cast<std::uint32_t>(header_limit));
  impl_->parser.body_limit(std::uint64_t{body_limit});
  impl_->parser.eager(true);
}
RequestReader::RequestReader(RequestReader&&) noexcept = default;
RequestReader& RequestReader::operator=(RequestReader&&) noexcept = default;
RequestReader::~RequestReader() = default;

Result<std::size_t> RequestReader::feed(std::string_view input) {
  BeastError error;
  const std::size_t used = put(impl_->parser, input, error);
  impl_->started = impl_->started || !input.empty();
  if (!error) return used;
  impl_->refusal = error == http::error::body_limit     ? 413
                   : error == http::error::header_limit ? 431
                                                        : 400;
  return fail(Code::kInvalid, fmt::format("the request is malformed: {}", error.message()));
}

unsigned RequestReader::refusal() const { return impl_->refusal; }
bool RequestReader::started() const { return impl_->started; }
bool RequestReader::header_done() const { return impl_->parser.is_header_done(); }
bool RequestReader::done() const { return impl_->parser.is_done(); }
bool RequestReader::keep_alive() const { return impl_->parser.keep_alive(); }
bool RequestReader::is_http11() const { return impl_->parser.get().version() >= 11; }
bool RequestReader::expects_continue() const {
  return http::token_list(impl_->parser.get()[http::field::expect]).exists("100-continue");
}

HttpRequest RequestReader::take() {
  auto& message = impl_->parser.get();
  return {std::string(message.method_string()), std::string(message.target()), copy(message.base()),
          std::move(message.body())};
}

}  // namespace davit::io
