// Everything in src/io that waits may be destroyed at any suspension point: each operation is run
// and destroyed after 0, 1, 2, … turns of the loop until it ends by itself. Sanitizers are the
// judge.
#include <gtest/gtest.h>

#include "io/block_on.hpp"
#include "io/connect.hpp"
#include "io/grpc_client.hpp"
#include "io/http_server.hpp"
#include "io/http_transport.hpp"
#include "io/test_certificates.hpp"
#include "io/test_grpc_server.hpp"

namespace davit::io {
namespace {

using testing::kPatience;

Task<void> turns(Loop& loop, int count) {
  for (int i = 0; i < count; ++i) co_await yield(loop);
}

class Destruction : public ::testing::Test {
 protected:
  Deadline soon() { return Deadline::after(loop_, kPatience); }

  // `operation` makes the task anew each time; it must set `ended` when it comes to its end.
  void destroy_after_each_turn(const std::function<Task<void>(bool& ended)>& operation) {
    for (int count = 0;; ++count) {
      bool ended = false;
      {
        Scope scope(loop_);
        scope.spawn(operation(ended));
        block_on(loop_, turns(loop_, count));
      }
      block_on(loop_, turns(loop_, 3));  // what was under way hears of the end
      if (ended) break;
      ASSERT_LT(count, 100'000);
    }
  }

  AsioLoop loop_;
  testing::TestCa ca_;
};

Task<HttpResponse> hello(HttpRequest) {
  co_return HttpResponse{200, {}, std::string(100'000, 'x')};
}

TEST_F(Destruction, ASendOverTls) {
  const testing::Pair pair = ca_.issue({"IP:127.0.0.1"});
  auto server =
      HttpServer::listen(
          loop_,
          {.tls = TlsServerConfig{PemSource::data(pair.certificate), PemSource::data(pair.key)}},
          hello)
          .value();
  destroy_after_each_turn([&](bool& ended) -> Task<void> {
    HttpTransport transport(loop_,
                            {.host = "127.0.0.1",
                             .port = server->port(),
                             .tls = TlsClientConfig{.ca = PemSource::data(ca_.certificate())}});
    const auto answer =
        co_await transport.send({.method = "POST", .body = std::string(50'000, 'y')}, soon());
    EXPECT_TRUE(answer) << answer.error().describe();
    ended = true;
  });
}

TEST_F(Destruction, AStreamOfAPooledConnection) {
  auto server = HttpServer::listen(loop_, {}, hello).value();
  HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
  destroy_after_each_turn([&](bool& ended) -> Task<void> {
    for (int i = 0; i < 2; ++i) {
      auto response = co_await transport.open({}, soon());
      EXPECT_TRUE(response);
      while (true) {
        const auto piece = co_await response->body->read(soon());
        EXPECT_TRUE(piece);
        if (!piece || piece->empty()) break;
      }
    }
    ended = true;
  });
}

TEST_F(Destruction, AGrpcCall) {
  testing::RawServer server(
      loop_, testing::grpc_server(loop_, [](const testing::GrpcRequest& request) {
        return testing::GrpcReply{.body = request.body, .trailers = {{"grpc-status", "0"}}};
      }));
  destroy_after_each_turn([&](bool& ended) -> Task<void> {
    const auto reply =
        co_await grpc_call(loop_, {.host = "127.0.0.1", .port = server.port(), .method = "/a/b"},
                           std::string(200'000, 'z'), soon());
    EXPECT_TRUE(reply) << reply.error().describe();
    ended = true;
  });
}

TEST_F(Destruction, AServerWithRequestsUnderWay) {
  destroy_after_each_turn([&](bool& ended) -> Task<void> {
    auto server = HttpServer::listen(loop_, {}, hello).value();
    HttpTransport transport(loop_, {.host = "127.0.0.1", .port = server->port()});
    std::vector<Task<Result<HttpResponse>>> sends;
    sends.reserve(3);
    for (int i = 0; i < 3; ++i) sends.push_back(transport.send({}, soon()));
    for (const auto& answer : co_await all(loop_, std::move(sends))) {
      EXPECT_TRUE(answer) << answer.error().describe();
    }
    ended = true;
  });
}

TEST_F(Destruction, AConnectByName) {
  testing::RawServer server(
      loop_, [this](Stream stream, int) -> Task<void> { co_await testing::drain(loop_, stream); });
  destroy_after_each_turn([&](bool& ended) -> Task<void> {
    const Status open = co_await can_connect(loop_, "localhost", server.port(), soon());
    EXPECT_TRUE(open) << open.error().describe();
    ended = true;
  });
}

}  // namespace
}  // namespace davit::io
