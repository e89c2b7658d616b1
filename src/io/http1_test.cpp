#include "io/http1.hpp"

#include <gtest/gtest.h>

namespace davit::io {
namespace {

constexpr std::string_view kChunked =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A: 1\r\n\r\n"
    "5\r\nhello\r\n6;ext=1\r\n world\r\n0\r\nTrailer: x\r\n\r\n";

// Feeds `text` in two parts, as two reads would bring it.
Result<std::string> body_in_two(std::string_view text, std::size_t cut) {
  ResponseReader reader(false);
  std::string pending;
  std::string body;
  for (const std::string_view part : {text.substr(0, cut), text.substr(cut)}) {
    pending += part;
    const Result<std::size_t> used = reader.feed(pending);
    if (!used) return fail(used.error());
    pending.erase(0, *used);
    if (reader.header_done()) body += reader.take_body();
  }
  EXPECT_TRUE(reader.done());
  return body;
}

TEST(ResponseReader, AChunkedAnswerSplitAtAnyByteIsTheSame) {
  for (std::size_t cut = 0; cut <= kChunked.size(); ++cut) {
    const Result<std::string> body = body_in_two(kChunked, cut);
    ASSERT_TRUE(body) << cut;
    EXPECT_EQ(*body, "hello world") << cut;
  }
}

TEST(ResponseReader, AChunkedAnswerCutAtAnyByteIsAnError) {
  for (std::size_t cut = 0; cut < kChunked.size(); ++cut) {
    ResponseReader reader(false);
    ASSERT_TRUE(reader.feed(kChunked.substr(0, cut))) << cut;
    EXPECT_FALSE(reader.done()) << cut;
    const Status end = reader.feed_end();
    ASSERT_FALSE(end) << cut;
    EXPECT_EQ(end.error().code(), Code::kUnavailable);
  }
}

TEST(ResponseReader, ABodyWithoutLengthEndsWithTheConnection) {
  ResponseReader reader(false);
  ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\n\r\nall"));
  EXPECT_FALSE(reader.done());
  EXPECT_FALSE(reader.keep_alive());
  EXPECT_TRUE(reader.feed_end());
  EXPECT_EQ(reader.take_body(), "all");
}

TEST(ResponseReader, InterimAnswersAreSkipped) {
  ResponseReader reader(false);
  const std::string_view text =
      "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\nHTTP/1.1 204 No Content\r\n\r\nrest";
  EXPECT_EQ(reader.feed(text).value(), text.size() - 4);
  EXPECT_EQ(reader.status(), 204u);
  EXPECT_TRUE(reader.done());
}

TEST(ResponseReader, TheAnswerToHeadHasNoBody) {
  ResponseReader reader(true);
  ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"));
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(reader.content_length(), 5u);
}

TEST(ResponseReader, NonsenseIsUnavailable) {
  for (const std::string_view text :
       {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"}) {
    ResponseReader reader(false);
    const Result<std::size_t> used = reader.feed(text);
    ASSERT_FALSE(used) << text;
    EXPECT_EQ(used.error().code(), Code::kUnavailable);
  }
}

TEST(ResponseReader, AHugeAnnouncedLengthReservesNothing) {
  ResponseReader reader(false);
  ASSERT_TRUE(reader.feed("HTTP/1.1 200 OK\r\nContent-Length: 9000000000000000000\r\n\r\nx"));
  EXPECT_EQ(reader.take_body(), "x");
  EXPECT_FALSE(reader.done());
}

TEST(SerializeRequest, LengthIsSentWithABodyAndForMethodsThatHaveOne) {
  EXPECT_EQ(serialize_request({"GET", "/a?b=c", {{"Host", "h"}}, ""}).value(),
            "GET /a?b=c HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(serialize_request({"POST", "/", {{"Content-Length", "99"}}, ""}).value(),
            "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
  EXPECT_EQ(serialize_request({"DELETE", "/", {}, "{}"}).value(),
            "DELETE / HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}");
}

TEST(SerializeRequest, WhatWouldSplitTheMessageIsInvalid) {
  for (const HttpRequest& request : std::vector<HttpRequest>{{"GE T", "/", {}, ""},
                                                             {"GET", "/a b", {}, ""},
                                                             {"GET", "no-slash", {}, ""},
                                                             {"GET", "/\r\nX: y", {}, ""},
                                                             {"GET", "/", {{"A", "b\r\nC: d"}}, ""},
                                                             {"GET", "/", {{"A:", "b"}}, ""}}) {
    const Result<std::string> text = serialize_request(request);
    ASSERT_FALSE(text);
    EXPECT_EQ(text.error().code(), Code::kInvalid);
  }
}

TEST(SerializeResponse, FramingFollowsStatusAndMethod) {
  EXPECT_EQ(serialize_response({200, {{"A", "b"}}, "xy"}, Framing::kLength, true, false),
            "HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 2\r\n\r\nxy");
  EXPECT_EQ(serialize_response({200, {}, "xy"}, Framing::kLength, false, true),
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n");
  EXPECT_EQ(serialize_response({204, {}, ""}, Framing::kLength, true, false),
            "HTTP/1.1 204 No Content\r\n\r\n");
  EXPECT_EQ(serialize_chunk("abc") + serialize_chunk(""), "3\r\nabc\r\n0\r\n\r\n");
}

TEST(RequestReader, ReadsPipelinedRequestsOneByOne) {
  const std::string_view text =
      "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhiGET /b HTTP/1.1\r\nHost: "
      "h\r\n\r\n";
  RequestReader first(16 << 10, 100);
  const std::size_t used = first.feed(text).value();
  ASSERT_TRUE(first.done());
  const HttpRequest request = first.take();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a");
  EXPECT_EQ(request.body, "hi");
  EXPECT_EQ(find_header(request.headers, "HOST"), "h");
  RequestReader second(16 << 10, 100);
  EXPECT_EQ(second.feed(text.substr(used)).value(), text.size() - used);
  EXPECT_EQ(second.take().target, "/b");
}

TEST(RequestReader, EachLimitHasItsStatus) {
  RequestReader body(16 << 10, 3);
  EXPECT_FALSE(body.feed("POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n"));
  EXPECT_EQ(body.refusal(), 413u);
  RequestReader header(64, 3);
  EXPECT_FALSE(header.feed("GET / HTTP/1.1\r\nA: " + std::string(100, 'x') + "\r\n\r\n"));
  EXPECT_EQ(header.refusal(), 431u);
  RequestReader chunks(16 << 10, 3);
  EXPECT_FALSE(chunks.feed("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n"));
  EXPECT_EQ(chunks.refusal(), 413u);
  RequestReader nonsense(16 << 10, 3);
  EXPECT_FALSE(nonsense.feed("hello\r\n\r\n"));
  EXPECT_EQ(nonsense.refusal(), 400u);
}

}  // namespace
}  // namespace davit::io
