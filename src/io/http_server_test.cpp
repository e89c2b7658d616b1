#include "io/http_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/block_on.hpp"
#include "io/connect.hpp"
#include "io/http_transport.hpp"
#include "io/test_server.hpp"

namespace davit::io {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::say;
using ::testing::StartsWith;

Task<HttpResponse> echo(HttpRequest request) {
  co_return HttpResponse{200,
                         {{"Content-Type", "text/plain"}},
                         request.method + " " + request.target + " " + request.body};
}

class HttpServerTest : public ::testing::Test {
 protected:
  Deadline soon() { return Deadline::after(loop_, kPatience); }
  std::unique_ptr<HttpServer> serve(HttpServerConfig config, HttpHandler handler = echo) {
    config.on_error = [this](const Error& error) { errors_.push_back(error.message()); };
    return HttpServer::listen(loop_, std::move(config), std::move(handler)).value();
  }
  Result<Stream> dial(HttpServer& server) {
    return block_on(loop_, connect(loop_, "127.0.0.1", server.port(), nullptr, soon()));
  }
  // Sends raw bytes and reads until the server closes.
  std::string talk(HttpServer& server, std::string bytes) {
    return block_on(loop_, conversation(loop_, server.port(), std::move(bytes)));
  }
  static Task<std::string> conversation(AsioLoop& loop, std::uint16_t port, std::string bytes) {
    Result<Stream> stream =
        co_await connect(loop, "127.0.0.1", port, nullptr, Deadline::after(loop, kPatience));
    co_await say(loop, *stream, std::move(bytes));
    std::string all;
    while (true) {
      const Result<bool> more = co_await stream->fill(Deadline::after(loop, kPatience));
      if (!more || !*more) co_return all;
      all += stream->buffered();
      stream->consume(stream->buffered().size());
    }
  }
  void wait_until(std::function<bool()> condition) {
    block_on(loop_, [](AsioLoop& loop, std::function<bool()> c) -> Task<void> {
      while (!c()) co_await sleep_for(loop, milliseconds(1));
    }(loop_, std::move(condition)));
  }

  AsioLoop loop_;
  std::vector<std::string> errors_;
};

TEST_F(HttpServerTest, AnswersOnOneConnectionOneAfterTheOther) {
  auto server = serve({});
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
  for (int i = 0; i < 3; ++i) {
    const auto answer =
        block_on(loop_, transport.send({.method = "PUT", .target = "/a?b", .body = "hi"}, soon()));
    ASSERT_TRUE(answer) << answer.error().describe();
    EXPECT_EQ(answer->body, "PUT /a?b hi");
  }
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(HttpServerTest, PipelinedRequestsAreAnsweredInOrderAndCloseIsObeyed) {
  auto server = serve({});
  const std::string all = talk(*server,
                               "GET /1 HTTP/1.1\r\nHost: h\r\n\r\n"
                               "GET /2 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_LT(all.find("GET /1"), all.find("GET /2"));
  EXPECT_THAT(all, HasSubstr("Connection: close"));
}

TEST_F(HttpServerTest, HeadHasTheLengthButNotTheBody) {
  auto server = serve({});
  const std::string all = talk(*server, "HEAD /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(all, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_THAT(all, EndsWith("\r\n\r\n"));
}

TEST_F(HttpServerTest, BadRequestsAreRefusedWithTheirStatus) {
  auto server = serve({.max_header_bytes = 1000, .max_body_bytes = 10});
  EXPECT_THAT(talk(*server, "nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(talk(*server, "GET / HTTP/1.1\r\nA: " + std::string(2000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431 "));
  EXPECT_THAT(talk(*server, "POST / HTTP/1.1\r\nContent-Length: 11\r\n\r\n"),
              StartsWith("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, AClientStillSendingALargeBodyCanReadTheRefusal) {
  auto server = serve({.max_body_bytes = 10});
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
  const auto answer = block_on(
      loop_, transport.send({.method = "POST", .body = std::string(4 << 20, 'x')}, soon()));
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->status, 413u);
}

TEST_F(HttpServerTest, ARefusedConnectionEndsCleanlyAlthoughTheBodyWasNotRead) {
  auto server = serve({.max_body_bytes = 10});
  Result<Stream> stream = dial(*server);
  const bool clean = block_on(loop_, [](AsioLoop& loop, Stream& s) -> Task<bool> {
    co_await say(loop, s,
                 "POST / HTTP/1.1\r\nContent-Length: 900000\r\n\r\n" + std::string(100'000, 'x'));
    while (true) {
      s.consume(s.buffered().size());
      const Result<bool> more = co_await s.fill(Deadline::after(loop, kPatience));
      if (!more || !*more) co_return more.has_value();
    }
  }(loop_, *stream));
  EXPECT_TRUE(clean);
}

TEST_F(HttpServerTest, ARequestThatDoesNotArriveInTimeIs408AndAnIdleConnectionIsJustClosed) {
  auto server = serve({.idle_timeout = milliseconds(20), .request_timeout = milliseconds(20)});
  EXPECT_THAT(talk(*server, "GET / HT"), StartsWith("HTTP/1.1 408 "));
  EXPECT_EQ(talk(*server, ""), "");
}

TEST_F(HttpServerTest, ExpectContinueIsAnsweredBeforeTheBody) {
  auto server = serve({});
  Result<Stream> stream = dial(*server);
  const std::string got = block_on(loop_, [](AsioLoop& loop, Stream& s) -> Task<std::string> {
    co_await say(loop, s, "POST / HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    std::string first = co_await testing::read_header(loop, s);
    co_await say(loop, s, "hi");
    co_return first + co_await testing::read_header(loop, s);
  }(loop_, *stream));
  EXPECT_THAT(got, StartsWith("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
}

TEST_F(HttpServerTest, AHandlerThatThrowsOrBreaksAHeaderIs500AndIsReported) {
  auto server = serve({}, [](HttpRequest request) -> Task<HttpResponse> {
    if (request.target == "/throw") throw std::runtime_error("boom");
    co_return HttpResponse{200, {{"X", "a\r\nSet-Cookie: b"}}, ""};
  });
  EXPECT_THAT(talk(*server, "GET /throw HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 500 "));
  EXPECT_THAT(talk(*server, "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 500 "));
  ASSERT_EQ(errors_.size(), 2u);
  EXPECT_THAT(errors_[0], HasSubstr("boom"));
}

TEST_F(HttpServerTest, APortThatIsTakenIsUnavailableAndABadAddressInvalid) {
  auto server = serve({});
  const auto second = HttpServer::listen(loop_, {.port = server->port()}, echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code(), Code::kUnavailable);
  EXPECT_THAT(second.error().message(), HasSubstr("cannot listen on 127.0.0.1:"));
  const auto bad = HttpServer::listen(loop_, {.address = "localhost"}, echo);
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error().code(), Code::kInvalid);
}

TEST_F(HttpServerTest, AtTheLimitTheLongestIdleConnectionMakesRoom) {
  auto server = serve({.max_connections = 2});
  Result<Stream> a = dial(*server);
  Result<Stream> b = dial(*server);
  wait_until([&] { return server->connections() == 2; });
  EXPECT_THAT(talk(*server, "GET /c HTTP/1.1\r\nConnection: close\r\n\r\n"), HasSubstr("GET /c"));
  const Result<bool> oldest = block_on(loop_, [](Stream& s, Deadline d) -> Task<Result<bool>> {
    co_return co_await s.fill(d);
  }(*a, soon()));
  EXPECT_TRUE(!oldest || !*oldest);
}

TEST_F(HttpServerTest, DestructionDestroysHandlersUnderWayAndClosesTheirConnections) {
  int begun = 0;
  auto server = serve({}, [&](HttpRequest) -> Task<HttpResponse> {
    ++begun;
    co_await sleep_for(loop_, std::chrono::hours(1));
    co_return HttpResponse{200};
  });
  Result<Stream> stream = dial(*server);
  block_on(loop_, say(loop_, *stream, "GET / HTTP/1.1\r\n\r\n"));
  wait_until([&] { return begun == 1; });
  server.reset();
  const Result<bool> more = block_on(loop_, [](Stream& s, Deadline d) -> Task<Result<bool>> {
    co_return co_await s.fill(d);
  }(*stream, soon()));
  EXPECT_TRUE(!more || !*more);
}

TEST_F(HttpServerTest, DrainLetsAnAnswerUnderWayEndAndClosesIdleConnections) {
  bool go = false;
  int begun = 0;
  auto server = serve({}, [&](HttpRequest) -> Task<HttpResponse> {
    ++begun;
    while (!go) co_await sleep_for(loop_, milliseconds(1));
    co_return HttpResponse{200, {}, "done"};
  });
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
  Result<Stream> idle = dial(*server);
  Scope scope(loop_);
  std::string body;
  scope.spawn([](HttpTransport& t, Deadline d, std::string& out) -> Task<void> {
    Result<HttpResponse> answer = co_await t.send({}, d);
    out = answer ? answer->body : answer.error().describe();
  }(transport, soon(), body));
  wait_until([&] { return begun == 1; });
  loop_.call_after(milliseconds(10), [&] { go = true; });
  block_on(loop_, server->drain(soon()));
  EXPECT_EQ(server->connections(), 0u);
  block_on(loop_, scope.join());
  EXPECT_EQ(body, "done");
  EXPECT_EQ(transport.idle_connections(), 0u);
}

// --- streams

// Gives `pieces`, then ends, fails or waits for ever.
class ListBody final : public BodyStream {
 public:
  enum class Then { kEnd, kFail, kWait };
  ListBody(Loop& loop, std::vector<std::string> pieces, Then then, bool* destroyed)
      : loop_(&loop), pieces_(std::move(pieces)), then_(then), destroyed_(destroyed) {}
  ~ListBody() override { *destroyed_ = true; }
  Task<Result<std::string>> read(Deadline) override {
    if (next_ < pieces_.size()) co_return pieces_[next_++];
    if (then_ == Then::kFail) co_return fail(Code::kUnavailable, "broken");
    if (then_ == Then::kWait) co_await sleep_for(*loop_, std::chrono::hours(1));
    co_return std::string();
  }

 private:
  Loop* loop_;
  std::vector<std::string> pieces_;
  Then then_;
  bool* destroyed_;
  std::size_t next_ = 0;
};

class StreamingTest : public HttpServerTest {
 protected:
  std::unique_ptr<HttpServer> stream(ListBody::Then then) {
    return HttpServer::listen_streaming(
               loop_, {},
               [this, then](HttpRequest) -> Task<StreamingResponse> {
                 co_return StreamingResponse{
                     200,
                     {{"Content-Type", "application/json"}},
                     std::make_unique<ListBody>(loop_, std::vector<std::string>{"one", "two"}, then,
                                                &destroyed_)};
               })
        .value();
  }
  bool destroyed_ = false;
};

TEST_F(StreamingTest, PiecesAreChunksAndTheConnectionIsReusedAfterTheEnd) {
  auto server = stream(ListBody::Then::kEnd);
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
  for (int i = 0; i < 2; ++i) {
    const auto answer = block_on(loop_, transport.send({}, soon()));
    ASSERT_TRUE(answer) << answer.error().describe();
    EXPECT_EQ(answer->body, "onetwo");
  }
  EXPECT_EQ(server->connections(), 1u);
}

TEST_F(StreamingTest, AnOldClientGetsTheBodyUntilTheConnectionCloses) {
  auto server = stream(ListBody::Then::kEnd);
  const std::string all = talk(*server, "GET / HTTP/1.0\r\n\r\n");
  EXPECT_THAT(all, EndsWith("\r\n\r\nonetwo"));
  EXPECT_EQ(all.find("chunked"), std::string::npos);
}

TEST_F(StreamingTest, AFailedBodyCutsTheConnection) {
  auto server = stream(ListBody::Then::kFail);
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
  const auto answer = block_on(loop_, transport.send({}, soon()));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
}

TEST_F(StreamingTest, TheBodyIsDestroyedWhenTheClientGoesAway) {
  auto server = stream(ListBody::Then::kWait);
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
  auto response = block_on(loop_, transport.open({}, soon()));
  ASSERT_TRUE(response);
  EXPECT_THAT(block_on(loop_, response->body->read(soon())).value(), StartsWith("one"));
  EXPECT_FALSE(destroyed_);
  response->body.reset();
  wait_until([&] { return destroyed_; });
  wait_until([&] { return server->connections() == 0; });
}

}  // namespace
}  // namespace davit::io
