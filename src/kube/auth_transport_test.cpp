#include "kube/auth_transport.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kube/fake_transport_for_test.hpp"

namespace davit::kube {
namespace {

using std::chrono::seconds;

struct TokenTest : testing::Test {
  io::ManualLoop loop;
  std::filesystem::path folder = std::filesystem::path(testing::TempDir()) /
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
  std::string file = (folder / "token").string();

  void SetUp() override { std::filesystem::create_directories(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string& text) const { std::ofstream(file) << text; }
};

TEST_F(TokenTest, AFixedTokenStays) {
  TokenSource token(loop, "fixed", "");
  token.invalidate();
  EXPECT_EQ(token.current(), "fixed");
}

TEST_F(TokenTest, AFileIsReadAgainAfterAMinute) {
  write("one\n");
  TokenSource token(loop, "", file);
  EXPECT_EQ(token.current(), "one");
  write("two");
  loop.advance(seconds(59));
  EXPECT_EQ(token.current(), "one");
  loop.advance(seconds(1));
  EXPECT_EQ(token.current(), "two");
}

TEST_F(TokenTest, InvalidateReadsAgainAtMostOnceASecond) {
  write("one");
  TokenSource token(loop, "", file);
  EXPECT_EQ(token.current(), "one");
  write("two");
  token.invalidate();
  EXPECT_EQ(token.current(), "one");
  loop.advance(seconds(1));
  EXPECT_EQ(token.current(), "two");
}

TEST_F(TokenTest, AnUnreadableFileKeepsTheLastTokenAndSaysSo) {
  write("one");
  TokenSource token(loop, "", file);
  EXPECT_EQ(token.current(), "one");
  std::filesystem::remove(file);
  loop.advance(seconds(60));
  EXPECT_EQ(token.current(), "one");
  EXPECT_EQ(token.error()->code(), Code::kNotFound);
  write(" \n");
  loop.advance(seconds(1));
  EXPECT_EQ(token.current(), "one");
  EXPECT_TRUE(token.error());
  write("two");
  loop.advance(seconds(60));
  EXPECT_EQ(token.current(), "two");
  EXPECT_FALSE(token.error());
}

struct AuthTest : TokenTest {
  FakeTransport* server = nullptr;
  std::unique_ptr<AuthTransport> make(std::string prefix = "") {
    auto inner = std::make_unique<FakeTransport>();
    server = inner.get();
    return std::make_unique<AuthTransport>(std::move(inner),
                                           std::make_shared<TokenSource>(loop, "", file), prefix);
  }
  static io::HttpRequest version() {
    io::HttpRequest request;
    request.target = "/version";
    return request;
  }
  io::Deadline deadline() { return io::Deadline::after(loop, seconds(1)); }
};

TEST_F(AuthTest, AddsThePrefix) {
  auto transport = make("/k8s");
  server->answer(200);
  EXPECT_EQ(run(loop, transport->send(version(), deadline()))->status, 200U);
  EXPECT_EQ(server->requests[0].target, "/k8s/version");
}

TEST_F(AuthTest, ARefusedTokenIsTriedAgainOnceWhenItHasChanged) {
  write("one");
  auto transport = make("/p");
  server->answer(200);
  (void)run(loop, transport->send(version(), deadline()));
  loop.advance(seconds(5));
  write("two");
  server->answer(401);
  server->answer(200);
  EXPECT_EQ(run(loop, transport->send(version(), deadline()))->status, 200U);
  EXPECT_EQ(server->requests.size(), 3U);
  EXPECT_EQ(server->requests[2].target, "/p/version");
}

TEST_F(AuthTest, ARefusedTokenThatIsStillTheSameIsNotTriedAgain) {
  write("one");
  auto transport = make();
  server->answer(401);
  EXPECT_EQ(run(loop, transport->send(version(), deadline()))->status, 401U);
  EXPECT_EQ(server->requests.size(), 1U);
}

TEST_F(AuthTest, WatchesAreTriedAgainToo) {
  write("one");
  auto transport = make();
  server->answer(200);
  (void)run(loop, transport->send(version(), deadline()));
  loop.advance(seconds(5));
  write("two");
  server->stream(401, {});
  server->stream(200, {});
  EXPECT_EQ(run(loop, transport->open(version(), deadline()))->status, 200U);
}

}  // namespace
}  // namespace davit::kube
