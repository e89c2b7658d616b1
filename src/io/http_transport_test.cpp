#include "io/http_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/block_on.hpp"
#include "io/connect.hpp"
#include "io/http_server.hpp"
#include "io/test_server.hpp"

namespace davit::io {
namespace {

using std::chrono::milliseconds;
using testing::drain;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::RawServer;
using testing::read_header;
using testing::say;

constexpr const char* kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

class HttpTransportTest : public ::testing::Test {
 protected:
  Deadline soon() { return Deadline::after(loop_, kPatience); }
  HttpTransport client(std::uint16_t port) { return {loop_, {.host = "127.0.0.1", .port = port}}; }
  Result<HttpResponse> send(HttpTransport& transport, HttpRequest request) {
    return block_on(loop_, transport.send(std::move(request), soon()));
  }
  // Answers every request of every connection with `answer`, and keeps the requests' headers.
  RawServer::Script answering(std::string answer) {
    return [this, answer](Stream stream, int) -> Task<void> {
      while (true) {
        std::string header = co_await read_header(loop_, stream);
        if (header.empty()) co_return;
        requests_.push_back(std::move(header));
        co_await say(loop_, stream, answer);
      }
    };
  }
  // A port on which nobody listens.
  std::uint16_t dead_port() { return Listener::bind(loop_, "127.0.0.1", 0).value().port(); }

  AsioLoop loop_;
  std::vector<std::string> requests_;
};

TEST_F(HttpTransportTest, ConnectionsAreReusedAndCarryTheUsualHeaders) {
  RawServer server(loop_, answering(kHello));
  int tokens = 0;
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server.port(), .bearer_token = [&] {
                                    return "t" + std::to_string(++tokens);
                                  }});
  for (int i = 0; i < 3; ++i) {
    const auto answer = send(transport, {.target = "/x"});
    ASSERT_TRUE(answer) << answer.error().describe();
    EXPECT_EQ(answer->status, 200u);
    EXPECT_EQ(answer->body, "hello");
  }
  EXPECT_EQ(server.accepted(), 1);
  EXPECT_EQ(transport.idle_connections(), 1u);
  ASSERT_EQ(requests_.size(), 3u);
  EXPECT_EQ(requests_[2], "GET /x HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.port()) +
                              "\r\nUser-Agent: davit\r\nAuthorization: Bearer t3\r\n\r\n");
}

TEST_F(HttpTransportTest, ARefusedConnectionIsUnavailableAndNamesThePeer) {
  const std::uint16_t port = dead_port();
  HttpTransport transport = client(port);
  const auto answer = send(transport, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  EXPECT_EQ(answer.error().describe(),
            "connection to 127.0.0.1:" + std::to_string(port) + " refused");
}

TEST_F(HttpTransportTest, AnUnknownNameIsUnavailable) {
  HttpTransport transport(loop_, {.host = "no-such-host.invalid", .port = 80});
  const auto answer = send(transport, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  EXPECT_THAT(answer.error().describe(), HasSubstr("no-such-host.invalid cannot be resolved"));
}

TEST_F(HttpTransportTest, ASilentServerIsDeadlineExceededAndTheConnectionIsClosed) {
  bool closed = false;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    co_await drain(loop_, stream);
    closed = true;
    loop_.stop();
  });
  HttpTransport transport = client(server.port());
  const auto answer = block_on(loop_, transport.send({}, Deadline::after(loop_, milliseconds(50))));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kDeadlineExceeded);
  loop_.run();
  EXPECT_TRUE(closed);
}

TEST_F(HttpTransportTest, AMalformedRequestIsInvalidAndNothingIsSent) {
  RawServer server(loop_, answering(kHello));
  HttpTransport transport = client(server.port());
  EXPECT_EQ(send(transport, {.target = "/a b"}).error().code(), Code::kInvalid);
  EXPECT_EQ(server.accepted(), 0);
}

TEST_F(HttpTransportTest, NonsenseInsteadOfAnAnswerIsUnavailable) {
  RawServer server(loop_, answering("220 mail.example.com ESMTP\r\n\r\n"));
  HttpTransport transport = client(server.port());
  const auto answer = send(transport, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  EXPECT_THAT(answer.error().describe(), HasSubstr("malformed"));
}

TEST_F(HttpTransportTest, AnAnswerAboveTheLimitIsInvalidWhetherAnnouncedOrNot) {
  for (const std::string answer :
       {"HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n12345678901",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nb\r\n12345678901\r\n0\r\n\r\n"}) {
    RawServer server(loop_, answering(answer));
    HttpTransport transport(loop_,
                            {.host = "127.0.0.1", .port = server.port(), .max_response_bytes = 10});
    const auto got = send(transport, {});
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().code(), Code::kInvalid);
  }
}

TEST_F(HttpTransportTest, ACutAtAnyByteOfAChunkedAnswerIsUnavailable) {
  const std::string whole =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n3\r\n yo\r\n0\r\n\r\n";
  std::size_t cut = 0;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    (void)co_await read_header(loop_, stream);
    co_await say(loop_, stream, whole.substr(0, cut));
  });
  HttpTransport transport = client(server.port());
  for (cut = 0; cut < whole.size(); ++cut) {
    const auto answer = send(transport, {});
    ASSERT_FALSE(answer) << cut;
    EXPECT_EQ(answer.error().code(), Code::kUnavailable) << cut;
  }
  EXPECT_EQ(send(transport, {})->body, "hello yo");
}

// The first connection answers once, then reads the next request and closes without a word: the
// client cannot have known.
RawServer::Script closes_after_second_request(AsioLoop& loop) {
  return [&loop](Stream stream, int number) -> Task<void> {
    for (int i = 0; i < (number == 0 ? 1 : 100); ++i) {
      if ((co_await read_header(loop, stream)).empty()) co_return;
      co_await say(loop, stream, kHello);
    }
    (void)co_await read_header(loop, stream);
  };
}

TEST_F(HttpTransportTest, AStaleConnectionIsReplacedOnceForIdempotentMethods) {
  for (const char* method : {"GET", "PUT", "DELETE"}) {
    RawServer server(loop_, closes_after_second_request(loop_));
    HttpTransport transport = client(server.port());
    ASSERT_TRUE(send(transport, {}));
    const auto answer = send(transport, {.method = method, .target = "/"});
    ASSERT_TRUE(answer) << method << ": " << answer.error().describe();
    EXPECT_EQ(server.accepted(), 2);
  }
}

TEST_F(HttpTransportTest, APostThatMayHaveArrivedIsNotRepeated) {
  for (const char* method : {"POST", "PATCH"}) {
    RawServer server(loop_, closes_after_second_request(loop_));
    HttpTransport transport = client(server.port());
    ASSERT_TRUE(send(transport, {}));
    const auto answer = send(transport, {.method = method, .target = "/"});
    ASSERT_FALSE(answer) << method;
    EXPECT_EQ(answer.error().code(), Code::kUnavailable);
    EXPECT_EQ(server.accepted(), 1);
  }
}

TEST_F(HttpTransportTest, AConnectionThatTheServerHasClosedIsNotUsedForAPost) {
  bool close_now = false;
  bool closed = false;
  RawServer server(loop_, [&](Stream stream, int number) -> Task<void> {
    for (int i = 0; i < (number == 0 ? 1 : 100); ++i) {
      if ((co_await read_header(loop_, stream)).empty()) co_return;
      co_await say(loop_, stream, kHello);
    }
    while (!close_now) co_await yield(loop_);
    stream = Stream();
    closed = true;
  });
  HttpTransport transport = client(server.port());
  ASSERT_TRUE(send(transport, {}));
  ASSERT_EQ(transport.idle_connections(), 1u);
  close_now = true;
  block_on(loop_, [](AsioLoop& loop, bool& flag) -> Task<void> {
    while (!flag) co_await yield(loop);
  }(loop_, closed));
  EXPECT_TRUE(send(transport, {.method = "POST", .target = "/"}));
  EXPECT_EQ(server.accepted(), 2);
}

TEST_F(HttpTransportTest, ARequestWhoseAnswerHasBegunIsNotRepeated) {
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    (void)co_await read_header(loop_, stream);
    co_await say(loop_, stream, kHello);
    (void)co_await read_header(loop_, stream);
    co_await say(loop_, stream, "HTTP/1.1 200 OK\r\nConte");
  });
  HttpTransport transport = client(server.port());
  ASSERT_TRUE(send(transport, {}));
  const auto answer = send(transport, {});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code(), Code::kUnavailable);
  EXPECT_EQ(server.accepted(), 1);
}

TEST_F(HttpTransportTest, AnEarlyAnswerToALargeRequestIsHeard) {
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    (void)co_await read_header(loop_, stream);
    co_await say(loop_, stream,
                 "HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
    stream.end_writing();
    co_await drain(loop_, stream);
  });
  HttpTransport transport = client(server.port());
  const auto answer =
      send(transport,
           {.method = "POST", .target = "/", .headers = {}, .body = std::string(8 << 20, 'x')});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->status, 413u);
  EXPECT_EQ(transport.idle_connections(), 0u);
}

TEST_F(HttpTransportTest, IdleConnectionsAreClosedInTheEnd) {
  RawServer server(loop_, answering(kHello));
  HttpTransport transport(
      loop_, {.host = "127.0.0.1", .port = server.port(), .idle_timeout = milliseconds(20)});
  ASSERT_TRUE(send(transport, {}));
  EXPECT_EQ(transport.idle_connections(), 1u);
  block_on(loop_, [](AsioLoop& loop, HttpTransport& t) -> Task<void> {
    while (t.idle_connections() > 0) co_await sleep_for(loop, milliseconds(5));
  }(loop_, transport));
}

TEST_F(HttpTransportTest, DestroyingAWaitingSendClosesTheConnectionAndNothingDangles) {
  int closed = 0;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    co_await drain(loop_, stream);
    ++closed;
    loop_.stop();
  });
  auto transport = std::make_unique<HttpTransport>(client(server.port()));
  Scope scope(loop_);
  scope.spawn([](HttpTransport& t, Deadline d) -> Task<void> {
    (void)co_await t.send({}, d);
    ADD_FAILURE() << "must not be answered";
  }(*transport, soon()));
  loop_.call_after(milliseconds(20), [&] {
    transport.reset();
    scope.cancel();
  });
  loop_.run();
  EXPECT_EQ(closed, 1);
}

// --- streams

Task<std::string> read_all(AsioLoop& loop, BodyStream& body, std::vector<std::string>& pieces) {
  while (true) {
    Result<std::string> piece = co_await body.read(Deadline::after(loop, kPatience));
    if (!piece) co_return std::string(to_string(piece.error().code()));
    if (piece->empty()) co_return "end";
    pieces.push_back(std::move(*piece));
  }
}

TEST_F(HttpTransportTest, AStreamHandsOutPiecesAsTheyArriveAndMayBeReadAgainAfterADeadline) {
  bool go_on = false;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    (void)co_await read_header(loop_, stream);
    co_await say(loop_, stream,
                 "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n");
    while (!go_on) co_await sleep_for(loop_, milliseconds(1));
    co_await say(loop_, stream, "6\r\nsecond\r\n0\r\n\r\n");
    co_await drain(loop_, stream);
  });
  HttpTransport transport = client(server.port());
  auto response = block_on(loop_, transport.open({}, soon()));
  ASSERT_TRUE(response) << response.error().describe();
  EXPECT_EQ(response->status, 200u);
  EXPECT_EQ(find_header(response->headers, "transfer-encoding"), "chunked");
  EXPECT_EQ(block_on(loop_, response->body->read(soon())).value(), "first");
  const auto late = block_on(loop_, response->body->read(Deadline::after(loop_, milliseconds(20))));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Code::kDeadlineExceeded);
  go_on = true;
  std::vector<std::string> pieces;
  EXPECT_EQ(block_on(loop_, read_all(loop_, *response->body, pieces)), "end");
  EXPECT_EQ(pieces, std::vector<std::string>{"second"});
  EXPECT_EQ(transport.idle_connections(), 1u);
}

TEST_F(HttpTransportTest, AStreamCutAtAnyByteEndsUnavailableAfterItsWholePieces) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string body = "5\r\nhello\r\n3\r\n yo\r\n0\r\n\r\n";
  std::size_t cut = 0;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    (void)co_await read_header(loop_, stream);
    co_await say(loop_, stream, head + body.substr(0, cut));
  });
  HttpTransport transport = client(server.port());
  for (cut = 0; cut <= body.size(); ++cut) {
    auto response = block_on(loop_, transport.open({}, soon()));
    ASSERT_TRUE(response) << response.error().describe();
    std::vector<std::string> pieces;
    const std::string end = block_on(loop_, read_all(loop_, *response->body, pieces));
    EXPECT_EQ(end, cut == body.size() ? "end" : "Unavailable") << cut;
    std::string all;
    for (const auto& piece : pieces) all += piece;
    EXPECT_TRUE(std::string("hello yo").starts_with(all));
  }
}

TEST_F(HttpTransportTest, DestroyingABodyStreamClosesTheConnectionAlsoAfterItsTransport) {
  bool closed = false;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    (void)co_await read_header(loop_, stream);
    co_await say(loop_, stream, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
    co_await drain(loop_, stream);
    closed = true;
    loop_.stop();
  });
  auto transport = std::make_unique<HttpTransport>(client(server.port()));
  auto response = block_on(loop_, transport->open({}, soon()));
  ASSERT_TRUE(response);
  transport.reset();
  EXPECT_EQ(block_on(loop_, response->body->read(soon())).value(), "x");
  {
    Scope reader(loop_);
    std::vector<std::string> pieces;
    reader.spawn([](AsioLoop& loop, BodyStream& b, std::vector<std::string>& p) -> Task<void> {
      (void)co_await read_all(loop, b, p);
    }(loop_, *response->body, pieces));
    block_on(loop_, [](AsioLoop& loop) -> Task<void> {
      co_await sleep_for(loop, milliseconds(5));
    }(loop_));
  }
  response->body.reset();
  loop_.run();
  EXPECT_TRUE(closed);
}

TEST_F(HttpTransportTest, ALargeAnswerArrivesWhole) {
  std::string large;
  for (int i = 0; large.size() < (4U << 20); ++i) large += std::to_string(i) + ",";
  auto server = HttpServer::listen(loop_, {}, [&](HttpRequest) -> Task<HttpResponse> {
                  co_return HttpResponse{200, {}, large};
                }).value();
  HttpTransport transport = client(server->port());
  const auto answer = send(transport, {});
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(answer->body, large);
}

TEST_F(HttpTransportTest, CanConnectTellsOpenFromClosedPorts) {
  RawServer server(loop_, answering(kHello));
  EXPECT_TRUE(block_on(loop_, can_connect(loop_, "127.0.0.1", server.port(), soon())));
  const Status closed = block_on(loop_, can_connect(loop_, "127.0.0.1", dead_port(), soon()));
  ASSERT_FALSE(closed);
  EXPECT_EQ(closed.error().code(), Code::kUnavailable);
}

TEST_F(HttpTransportTest, Ipv6HostsHaveBracketsInTheHostHeader) {
  auto listener = Listener::bind(loop_, "::1", 0);
  if (!listener) GTEST_SKIP() << "no IPv6 here";
  Scope scope(loop_);
  scope.spawn([](AsioLoop& loop, Listener& l, std::vector<std::string>& seen) -> Task<void> {
    Result<Stream> stream = co_await l.accept();
    if (!stream) co_return;
    seen.push_back(co_await read_header(loop, *stream));
    co_await say(loop, *stream, kHello);
    co_await drain(loop, *stream);
  }(loop_, *listener, requests_));
  HttpTransport transport(loop_, {.host = "::1", .port = listener->port()});
  ASSERT_TRUE(send(transport, {}));
  EXPECT_THAT(requests_.at(0), HasSubstr("Host: [::1]:" + std::to_string(listener->port())));
}

}  // namespace
}  // namespace davit::io
