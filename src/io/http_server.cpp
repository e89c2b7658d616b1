#include "io/http_server.hpp"

#include <fmt/format.h>

#include <list>

#include "io/connect.hpp"
#include "io/http1.hpp"
#include "io/listener.hpp"
#include "io/scope.hpp"

namespace davit::io {

// What a handler gave: a whole answer, or the start of one.
struct Reply {
  HttpResponse head;                 // with the body, if it is whole
  std::unique_ptr<BodyStream> body;  // otherwise
};

struct HttpServer::Core {
  AsioLoop* loop;
  HttpServerConfig config;
  std::function<Task<Reply>(HttpRequest)> handler;
  std::optional<Listener> listener;
  std::uint16_t port = 0;
  std::shared_ptr<TlsServer> tls;
  bool draining = false;
  std::list<Stream*> idle;  // longest idle first
  Notify changed;           // a connection has ended or become idle
  Scope connections;
  Scope acceptor;

  Core(AsioLoop& l, HttpServerConfig c)
      : loop(&l), config(std::move(c)), changed(l), connections(l), acceptor(l) {}
  [[nodiscard]] Deadline in(Duration d) const { return Deadline::after(*loop, d); }
  void report(const Error& error) const {
    if (config.on_error) config.on_error(error);
  }
};

namespace {

using Core = HttpServer::Core;

constexpr Duration kLinger = std::chrono::seconds(2);

std::shared_ptr<const std::string> shared(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

// A connection that waits for its next request is in Core::idle.
class IdleMark {
 public:
  IdleMark(Core& core, Stream& stream) : core_(&core) {
    place_ = core.idle.insert(core.idle.end(), &stream);
    core.changed.notify_all();
  }
  IdleMark(const IdleMark&) = delete;
  IdleMark& operator=(const IdleMark&) = delete;
  ~IdleMark() { core_->idle.erase(place_); }

 private:
  Core* core_;
  std::list<Stream*>::iterator place_;
};

// Answers and closes so that the client can read the answer although it may still be sending.
Task<void> refuse(Core& core, Stream& stream, unsigned status, std::string why) {
  const HttpResponse response{status, {{"Content-Type", "text/plain"}}, std::move(why)};
  const Deadline end = core.in(kLinger);
  const Status sent = co_await stream.write(
      shared(serialize_response(response, Framing::kLength, false, false)), end);
  if (!sent) co_return;
  stream.end_writing();
  while (true) {
    stream.consume(stream.buffered().size());
    const Result<bool> more = co_await stream.fill(end);
    if (!more || !*more) co_return;
  }
}

// The next request, or nullopt when the connection is to be closed.
Task<std::optional<RequestReader>> read_request(Core& core, Stream& stream) {
  RequestReader reader(core.config.max_header_bytes, core.config.max_body_bytes);
  std::optional<IdleMark> idle;
  if (stream.buffered().empty()) idle.emplace(core, stream);
  Deadline deadline = core.in(idle ? core.config.idle_timeout : core.config.request_timeout);
  bool continued = false;
  while (true) {
    const Result<std::size_t> used = reader.feed(stream.buffered());
    if (!used) {
      co_await refuse(core, stream, reader.refusal(), used.error().message() + "\n");
      co_return std::nullopt;
    }
    stream.consume(*used);
    if (reader.done()) co_return reader;
    if (reader.header_done() && !std::exchange(continued, true) && reader.expects_continue()) {
      const Status sent = co_await stream.write(shared("HTTP/1.1 100 Continue\r\n\r\n"), deadline);
      if (!sent) co_return std::nullopt;
    }
    const Result<bool> more = co_await stream.fill(deadline);
    if (!more && more.error().code() == Code::kDeadlineExceeded && !idle) {
      co_await refuse(core, stream, 408, "the request did not arrive in time\n");
    }
    if (!more || !*more) co_return std::nullopt;
    if (idle) {
      idle.reset();
      deadline = core.in(core.config.request_timeout);
    }
  }
}

Task<Reply> handle(Core& core, HttpRequest request) {
  std::string what;
  try {
    Reply reply = co_await core.handler(std::move(request));
    const auto bad = malformed_header(reply.head.headers);
    if (!bad) co_return reply;
    what = fmt::format("the answer's header \"{}\" is malformed", *bad);
  } catch (const std::exception& error) {
    what = fmt::format("a request handler threw: {}", error.what());
  }
  core.report(Error(Code::kInternal, what));
  co_return Reply{{500, {{"Content-Type", "text/plain"}}, "internal error\n"}, nullptr};
}

// Ends when the client has closed its side; never otherwise.
Task<bool> client_gone(Core& core, Stream& stream) {
  const Result<bool> more = co_await stream.fill(Deadline::never());
  if (more && *more) co_await sleep_until(*core.loop, Deadline::never().at);  // it talks: not gone
  co_return false;
}

Task<bool> send_pieces(Core& core, Stream& stream, BodyStream& body, Framing framing) {
  while (true) {
    Result<std::string> piece = co_await body.read(Deadline::never());
    if (!piece) co_return false;
    const bool last = piece->empty();
    if (last && framing != Framing::kChunked) co_return false;
    std::string wire = framing == Framing::kChunked ? serialize_chunk(*piece) : std::move(*piece);
    const Status sent =
        co_await stream.write(shared(std::move(wire)), core.in(core.config.write_timeout));
    if (!sent || last) co_return sent.has_value();
  }
}

// False when the connection must be closed.
Task<bool> send_reply(Core& core, Stream& stream, Reply reply, bool http11, bool keep,
                      bool to_head) {
  const Framing framing = !reply.body ? Framing::kLength
                          : http11    ? Framing::kChunked
                                      : Framing::kUntilClose;
  keep = keep && framing != Framing::kUntilClose;
  const Status sent =
      co_await stream.write(shared(serialize_response(reply.head, framing, keep, to_head)),
                            core.in(core.config.write_timeout));
  if (!sent) co_return false;
  if (!reply.body || to_head) co_return keep;
  std::vector<Task<bool>> race;
  race.push_back(send_pieces(core, stream, *reply.body, framing));
  race.push_back(client_gone(core, stream));
  const auto [which, whole] = co_await any(*core.loop, std::move(race));
  co_return keep&& whole;
}

Task<void> serve_requests(Core& core, Stream& stream) {
  while (!core.draining) {
    std::optional<RequestReader> reader = co_await read_request(core, stream);
    if (!reader) co_return;
    HttpRequest request = reader->take();
    const bool to_head = request.method == "HEAD";
    const bool http11 = reader->is_http11();
    Reply reply = co_await handle(core, std::move(request));
    const bool keep = http11 && reader->keep_alive() && !core.draining;
    if (!co_await send_reply(core, stream, std::move(reply), http11, keep, to_head)) co_return;
  }
}

Task<void> serve(Core& core, Stream stream) {
  struct TellEnd {
    Notify& changed;
    ~TellEnd() { changed.notify_all(); }
  } tell{core.changed};
  if (core.tls) {
    Result<Stream> secured = co_await accept_tls(*core.loop, std::move(stream), core.tls,
                                                 core.in(core.config.request_timeout));
    if (!secured) co_return;
    stream = std::move(*secured);
  }
  co_await serve_requests(core, stream);
}

Task<void> accept_all(Core& core) {
  while (core.listener) {
    if (core.connections.running() >= core.config.max_connections) {
      if (!core.idle.empty()) core.idle.front()->close();
      co_await core.changed.wait();
      continue;
    }
    Result<Stream> next = co_await core.listener->accept();
    if (next) {
      core.connections.spawn(serve(core, std::move(*next)));
      continue;
    }
    if (next.error().code() == Code::kCancelled) co_return;
    core.report(next.error());
    co_await sleep_for(*core.loop, std::chrono::milliseconds(100));
  }
}

Task<Status> all_ended(Core& core) {
  co_await core.connections.join();
  co_return Status{};
}

Task<Reply> whole(Task<HttpResponse> answer) {
  co_return Reply{co_await std::move(answer), nullptr};
}

Task<Reply> streamed(Task<StreamingResponse> answer) {
  StreamingResponse response = co_await std::move(answer);
  co_return Reply{{response.status, std::move(response.headers), {}}, std::move(response.body)};
}

Result<std::unique_ptr<Core>> start(AsioLoop& loop, HttpServerConfig config) {
  auto core = std::make_unique<Core>(loop, std::move(config));
  if (core->config.tls) {
    core->tls = std::make_shared<TlsServer>(*core->config.tls);
    if (const auto usable = core->tls->context(); !usable) return fail(usable.error());
  }
  Result<Listener> listener = Listener::bind(loop, core->config.address, core->config.port);
  if (!listener) return fail(std::move(listener.error()));
  core->port = listener->port();
  core->listener = std::move(*listener);
  core->acceptor.spawn(accept_all(*core));
  return core;
}

}  // namespace

HttpServer::HttpServer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::listen(AsioLoop& loop, HttpServerConfig config,
                                                       HttpHandler handler) {
  Result<std::unique_ptr<Core>> core = start(loop, std::move(config));
  if (!core) return fail(std::move(core.error()));
  (*core)->handler = [handler = std::move(handler)](HttpRequest request) {
    return whole(handler(std::move(request)));
  };
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(*core)));
}

Result<std::unique_ptr<HttpServer>> HttpServer::listen_streaming(AsioLoop& loop,
                                                                 HttpServerConfig config,
                                                                 HttpStreamHandler handler) {
  Result<std::unique_ptr<Core>> core = start(loop, std::move(config));
  if (!core) return fail(std::move(core.error()));
  (*core)->handler = [handler = std::move(handler)](HttpRequest request) {
    return streamed(handler(std::move(request)));
  };
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(*core)));
}

std::uint16_t HttpServer::port() const { return core_->port; }
std::size_t HttpServer::connections() const { return core_->connections.running(); }

Task<void> HttpServer::drain(Deadline deadline) {
  Core& core = *core_;
  core.draining = true;
  core.acceptor.cancel();
  core.listener.reset();
  for (Stream* stream : std::list(core.idle)) stream->close();
  (void)co_await with_deadline(*core.loop, deadline, all_ended(core), "draining");
}

}  // namespace davit::io
