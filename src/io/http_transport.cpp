#include "io/http_transport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/connect.hpp"
#include "io/connection_pool.hpp"
#include "io/http1.hpp"

namespace davit::io {

struct HttpTransport::Core {
  AsioLoop* loop;
  HttpTransportConfig config;
  std::shared_ptr<TlsClient> tls;
  std::string authority;  // of the Host header
  std::string peer;       // in messages
  ConnectionPool pool;

  Core(AsioLoop& l, HttpTransportConfig c)
      : loop(&l),
        config(std::move(c)),
        peer(endpoint_name(config.host, config.port)),
        pool(l, config.max_idle_connections, config.idle_timeout) {
    if (config.tls) tls = std::make_shared<TlsClient>(*config.tls);
    const std::uint16_t usual = tls ? 443 : 80;
    authority = config.port == usual ? peer.substr(0, peer.rfind(':')) : peer;
  }
};

namespace {

using CorePtr = std::shared_ptr<HttpTransport::Core>;
using Wire = std::shared_ptr<const std::string>;

// One request on one connection, as far as its answer has come.
struct Exchange {
  Stream stream;
  ResponseReader reader;
};

Error about(const HttpTransport::Core& core, Error error) {
  return std::move(error).because(fmt::format("no answer from {}", core.peer));
}

bool is_idempotent(std::string_view method) {
  constexpr std::array<std::string_view, 5> kMethods{"GET", "HEAD", "PUT", "DELETE", "OPTIONS"};
  return std::ranges::find(kMethods, method) != kMethods.end();
}

Result<Wire> to_wire(const HttpTransport::Core& core, HttpRequest& request) {
  const auto add = [&](std::string name, std::string value) {
    if (!find_header(request.headers, name))
      request.headers.emplace_back(std::move(name), std::move(value));
  };
  add("Host", core.authority);
  add("User-Agent", core.config.user_agent);
  if (core.config.bearer_token) {
    const std::string token = core.config.bearer_token();
    if (!token.empty()) add("Authorization", "Bearer " + token);
  }
  Result<std::string> text = serialize_request(request);
  if (!text) return fail(std::move(text.error()));
  return std::make_shared<const std::string>(std::move(*text));
}

// Reads on until `enough`. The other side's end is the end of the answer, or an error.
template <typename Enough>
Task<Status> read_until(Exchange& exchange, Deadline deadline, Enough enough) {
  while (true) {
    Result<std::size_t> used = exchange.reader.feed(exchange.stream.buffered());
    if (!used) co_return fail(std::move(used.error()));
    exchange.stream.consume(*used);
    if (enough(exchange.reader)) co_return Status{};
    Result<bool> more = co_await exchange.stream.fill(deadline);
    if (!more) co_return fail(std::move(more.error()));
    if (!*more) co_return exchange.reader.feed_end();
  }
}

bool has_header(const ResponseReader& reader) { return reader.header_done(); }

struct Attempt {
  Status status;
  bool may_repeat = false;  // on a new connection
};

// Sends and reads the header. A failed write does not end it: the server may have answered early.
Task<Attempt> attempt(Exchange& exchange, Wire wire, bool idempotent, Deadline deadline) {
  Status sent = co_await exchange.stream.write(std::move(wire), deadline);
  if (!sent && sent.error().code() == Code::kDeadlineExceeded) co_return {std::move(sent), false};
  const bool untouched = !sent && !exchange.stream.sent_any();
  Status read = co_await read_until(exchange, deadline, has_header);
  if (read) co_return {Status{}, false};
  const bool cut = read.error().code() == Code::kUnavailable && !exchange.reader.started();
  co_return {std::move(sent ? read : sent), cut && (idempotent || untouched)};
}

Task<Result<std::unique_ptr<Exchange>>> begin(CorePtr core, HttpRequest request,
                                              Deadline deadline) {
  const bool to_head = request.method == "HEAD";
  const bool idempotent = is_idempotent(request.method);
  Result<Wire> wire = to_wire(*core, request);
  if (!wire) co_return fail(std::move(wire.error()));

  if (std::optional<Stream> pooled = core->pool.take()) {
    auto exchange =
        std::make_unique<Exchange>(Exchange{std::move(*pooled), ResponseReader(to_head)});
    Attempt tried = co_await attempt(*exchange, *wire, idempotent, deadline);
    if (tried.status) co_return std::move(exchange);
    if (!tried.may_repeat) co_return fail(about(*core, std::move(tried.status.error())));
  }
  const Deadline patience =
      deadline.earlier(Deadline::after(*core->loop, core->config.connect_timeout));
  Result<Stream> stream =
      co_await connect(*core->loop, core->config.host, core->config.port, core->tls, patience);
  if (!stream) co_return fail(std::move(stream.error()));
  auto exchange = std::make_unique<Exchange>(Exchange{std::move(*stream), ResponseReader(to_head)});
  Attempt tried = co_await attempt(*exchange, *wire, idempotent, deadline);
  if (!tried.status) co_return fail(about(*core, std::move(tried.status.error())));
  co_return std::move(exchange);
}

void finish(HttpTransport::Core& core, Exchange& exchange) {
  if (exchange.reader.done() && exchange.reader.keep_alive()) {
    core.pool.put(std::move(exchange.stream));
  } else {
    exchange.stream = Stream();
  }
}

Error too_large(const HttpTransport::Core& core) {
  return {Code::kInvalid, fmt::format("the answer of {} is larger than {} bytes", core.peer,
                                      core.config.max_response_bytes)};
}

Task<Result<HttpResponse>> send_on(CorePtr core, HttpRequest request, Deadline deadline) {
  Result<std::unique_ptr<Exchange>> begun = co_await begin(core, std::move(request), deadline);
  if (!begun) co_return fail(std::move(begun.error()));
  Exchange& exchange = **begun;
  const std::size_t limit = core->config.max_response_bytes;
  if (exchange.reader.content_length().value_or(0) > limit) co_return fail(too_large(*core));
  Status read = co_await read_until(exchange, deadline, [limit](const ResponseReader& reader) {
    return reader.done() || reader.body_size() > limit;
  });
  if (!read) co_return fail(about(*core, std::move(read.error())));
  if (exchange.reader.body_size() > limit) co_return fail(too_large(*core));
  HttpResponse response{exchange.reader.status(), exchange.reader.headers(),
                        exchange.reader.take_body()};
  finish(*core, exchange);
  co_return response;
}

class SocketBody final : public BodyStream {
 public:
  SocketBody(CorePtr core, std::unique_ptr<Exchange> exchange)
      : core_(std::move(core)), exchange_(std::move(exchange)) {}

  Task<Result<std::string>> read(Deadline deadline) override {
    return next(core_, exchange_, deadline);
  }

 private:
  using ExchangePtr = std::shared_ptr<Exchange>;

  static Task<Result<std::string>> next(CorePtr core, ExchangePtr exchange, Deadline deadline) {
    if (!exchange->stream.valid()) {
      if (exchange->reader.done()) co_return std::string();
      co_return fail(Code::kUnavailable, fmt::format("the stream from {} was cut", core->peer));
    }
    Status read = co_await read_until(*exchange, deadline, [](const ResponseReader& reader) {
      return reader.body_size() > 0 || reader.done();
    });
    if (!read) {
      if (read.error().code() != Code::kDeadlineExceeded) exchange->stream = Stream();
      co_return fail(std::move(read.error())
                         .because(fmt::format("the stream from {} was interrupted", core->peer)));
    }
    std::string piece = exchange->reader.take_body();
    if (piece.empty()) finish(*core, *exchange);
    co_return piece;
  }

  CorePtr core_;
  ExchangePtr exchange_;
};

Task<Result<StreamingResponse>> open_on(CorePtr core, HttpRequest request, Deadline deadline) {
  Result<std::unique_ptr<Exchange>> begun = co_await begin(core, std::move(request), deadline);
  if (!begun) co_return fail(std::move(begun.error()));
  StreamingResponse response{(*begun)->reader.status(), (*begun)->reader.headers(), nullptr};
  response.body = std::make_unique<SocketBody>(core, std::move(*begun));
  co_return response;
}

}  // namespace

HttpTransport::HttpTransport(AsioLoop& loop, HttpTransportConfig config)
    : core_(std::make_shared<Core>(loop, std::move(config))) {}
HttpTransport::~HttpTransport() = default;

Task<Result<HttpResponse>> HttpTransport::send(HttpRequest request, Deadline deadline) {
  return send_on(core_, std::move(request), deadline);
}

Task<Result<StreamingResponse>> HttpTransport::open(HttpRequest request, Deadline deadline) {
  return open_on(core_, std::move(request), deadline);
}

std::size_t HttpTransport::idle_connections() const { return core_->pool.size(); }

}  // namespace davit::io
