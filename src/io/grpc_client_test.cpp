#include "io/grpc_client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/block_on.hpp"
#include "io/http_server.hpp"
#include "io/test_grpc_server.hpp"

namespace davit::io {
namespace {

using testing::grpc_server;
using testing::GrpcReply;
using testing::GrpcRequest;
using ::testing::HasSubstr;
using testing::kPatience;
using testing::RawServer;

std::string framed(const std::string& message) {
  std::string out(1, '\0');
  for (int shift = 24; shift >= 0; shift -= 8)
    out += static_cast<char>(message.size() >> shift & 0xff);
  return out + message;
}

const Headers kOk{{"grpc-status", "0"}};

class GrpcClientTest : public ::testing::Test {
 protected:
  Result<std::string> call(std::uint16_t port, std::string request, std::size_t max = 16 << 20,
                           Duration patience = kPatience) {
    return block_on(loop_, grpc_call(loop_,
                                     {.host = "127.0.0.1",
                                      .port = port,
                                      .method = "/test.Echo/Say",
                                      .max_message_bytes = max},
                                     std::move(request), Deadline::after(loop_, patience)));
  }
  Result<std::string> call_server(testing::GrpcScript script, std::string request = "hi") {
    RawServer server(loop_, grpc_server(loop_, std::move(script)));
    return call(server.port(), std::move(request));
  }
  AsioLoop loop_;
};

TEST_F(GrpcClientTest, AUnaryCallCarriesItsHeadersAndMessageBothWays) {
  GrpcRequest seen;
  const auto reply = call_server([&](const GrpcRequest& request) {
    seen = request;
    return GrpcReply{.body = framed("hello"), .trailers = kOk};
  });
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(*reply, "hello");
  EXPECT_EQ(seen.body, framed("hi"));
  EXPECT_EQ(find_header(seen.headers, ":path"), "/test.Echo/Say");
  EXPECT_EQ(find_header(seen.headers, "te"), "trailers");
  EXPECT_EQ(find_header(seen.headers, "content-type"), "application/grpc");
  EXPECT_TRUE(find_header(seen.headers, "grpc-timeout").value_or("").ends_with("m"));
}

TEST_F(GrpcClientTest, MessagesLargerThanEveryWindowPass) {
  const std::string large(5 << 20, 'x');
  const auto reply = call_server(
      [&](const GrpcRequest& request) { return GrpcReply{.body = request.body, .trailers = kOk}; },
      large);
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(reply->size(), large.size());
}

TEST_F(GrpcClientTest, AnEmptyMessageIsAMessage) {
  const auto reply = call_server(
      [](const GrpcRequest&) { return GrpcReply{.body = framed(""), .trailers = kOk}; }, "");
  ASSERT_TRUE(reply) << reply.error().describe();
  EXPECT_EQ(*reply, "");
}

TEST_F(GrpcClientTest, EachStatusBecomesItsCodeWithNameAndDecodedMessage) {
  for (unsigned status = 1; status <= 16; ++status) {
    const auto reply = call_server([&](const GrpcRequest&) {
      return GrpcReply{.trailers = {{"grpc-status", std::to_string(status)},
                                    {"grpc-message", "no%20such%20%C3%A9"}}};
    });
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), grpc_code(status));
    EXPECT_EQ(reply.error().reason(), grpc_status_name(status));
    EXPECT_EQ(reply.error().message(), "no such é");
  }
  EXPECT_EQ(grpc_code(5), Code::kNotFound);
  EXPECT_EQ(grpc_code(12), Code::kUnsupported);
  EXPECT_EQ(grpc_code(99), Code::kUnavailable);
}

TEST_F(GrpcClientTest, AStatusInTheFirstHeadersIsUnderstood) {
  const auto reply = call_server([](const GrpcRequest&) {
    return GrpcReply{.headers = {{"grpc-status", "12"}, {"grpc-message", "unknown method"}}};
  });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), Code::kUnsupported);
}

TEST_F(GrpcClientTest, AnHttpErrorWithoutGrpcStatusIsMapped) {
  const auto reply =
      call_server([](const GrpcRequest&) { return GrpcReply{.http_status = "503"}; });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), Code::kUnavailable);
  EXPECT_THAT(reply.error().message(), HasSubstr("HTTP 503"));
}

TEST_F(GrpcClientTest, BrokenRepliesAreUnavailable) {
  for (const GrpcReply& bad :
       {GrpcReply{.reset = true}, GrpcReply{.body = framed("hello")},  // no status
        GrpcReply{.body = framed("hello").substr(0, 7), .trailers = kOk},
        GrpcReply{.body = "abc", .trailers = kOk},
        GrpcReply{.body = framed("a") + framed("b"), .trailers = kOk}}) {
    const auto reply = call_server([&](const GrpcRequest&) { return bad; });
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), Code::kUnavailable) << reply.error().describe();
  }
}

TEST_F(GrpcClientTest, AResetCallSaysWhy) {
  const auto reply = call_server([](const GrpcRequest&) { return GrpcReply{.reset = true}; });
  ASSERT_FALSE(reply);
  EXPECT_THAT(reply.error().message(), HasSubstr("reset the call: REFUSED_STREAM"));
}

TEST_F(GrpcClientTest, ACompressedReplyIsUnsupported) {
  std::string body = framed("zip");
  body[0] = 1;
  const auto reply =
      call_server([&](const GrpcRequest&) { return GrpcReply{.body = body, .trailers = kOk}; });
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), Code::kUnsupported);
}

TEST_F(GrpcClientTest, AReplyAboveTheLimitIsInvalidAndOneAtItPasses) {
  RawServer server(loop_, grpc_server(loop_, [](const GrpcRequest&) {
                     return GrpcReply{.body = framed(std::string(100, 'x')), .trailers = kOk};
                   }));
  EXPECT_TRUE(call(server.port(), "", 100));
  const auto reply = call(server.port(), "", 99);
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), Code::kInvalid);
}

TEST_F(GrpcClientTest, AServerThatSpeaksHttp1IsUnavailable) {
  auto server = HttpServer::listen(loop_, {}, [](HttpRequest) -> Task<HttpResponse> {
                  co_return HttpResponse{200};
                }).value();
  const auto reply = call(server->port(), "hi");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code(), Code::kUnavailable);
  EXPECT_THAT(reply.error().describe(), HasSubstr("no answer from 127.0.0.1:"));
}

TEST_F(GrpcClientTest, ASilentServerIsDeadlineExceededAndAClosingOneUnavailable) {
  RawServer silent(
      loop_, [this](Stream stream, int) -> Task<void> { co_await testing::drain(loop_, stream); });
  EXPECT_EQ(call(silent.port(), "", 100, std::chrono::milliseconds(50)).error().code(),
            Code::kDeadlineExceeded);
  RawServer closing(loop_, [](Stream, int) -> Task<void> { co_return; });
  EXPECT_EQ(call(closing.port(), "").error().code(), Code::kUnavailable);
}

TEST_F(GrpcClientTest, AMalformedMethodOrMetadataIsInvalid) {
  for (const GrpcCall& bad :
       {GrpcCall{.host = "127.0.0.1", .port = 1, .method = "no-slash"},
        GrpcCall{.host = "127.0.0.1", .port = 1, .method = "/a\r\nb"},
        GrpcCall{.host = "127.0.0.1", .port = 1, .method = "/a/b", .metadata = {{"x", "a\nb"}}}}) {
    const auto reply =
        block_on(loop_, grpc_call(loop_, bad, "", Deadline::after(loop_, kPatience)));
    ASSERT_FALSE(reply);
    EXPECT_EQ(reply.error().code(), Code::kInvalid);
  }
}

TEST_F(GrpcClientTest, DestroyingAWaitingCallClosesItsConnection) {
  bool closed = false;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    co_await testing::drain(loop_, stream);
    closed = true;
    loop_.stop();
  });
  Scope scope(loop_);
  scope.spawn([](AsioLoop& loop, std::uint16_t port) -> Task<void> {
    (void)co_await grpc_call(loop, {.host = "127.0.0.1", .port = port, .method = "/a/b"}, "",
                             Deadline::after(loop, kPatience));
  }(loop_, server.port()));
  loop_.call_after(std::chrono::milliseconds(20), [&] { scope.cancel(); });
  loop_.run();
  EXPECT_TRUE(closed);
}

}  // namespace
}  // namespace davit::io
