#include "kube/client.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/fake_transport_for_test.hpp"

namespace davit::kube {
namespace {

using std::chrono::seconds;

struct ClientTest : testing::Test {
  io::ManualLoop loop;
  FakeTransport server;
  Client client{server, loop};

  static json::object object(std::string_view text) {
    return wire::parse_json_object(text).value();
  }
};

TEST_F(ClientTest, GetAnswersTheObjectAndGivesADeadline) {
  server.answer(200, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(key_of(run(loop, client.get(kPods, {"n", "a"})).value()).name, "a");
  EXPECT_EQ(server.deadlines[0].at, loop.now() + seconds(30));
  client.set_timeout(seconds(5));
  server.answer(200);
  (void)run(loop, client.get(kPods, {"n", "a"}));
  EXPECT_EQ(server.deadlines[1].at, loop.now() + seconds(5));
}

TEST_F(ClientTest, FailuresCarryTheServersStatus) {
  server.answer(409,
                R"({"kind":"Status","reason":"AlreadyExists","message":"it is there","code":409})");
  const auto answer = run(
      loop,
      client.create(
          kConfigMaps,
          object(
              R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"n","name":"a"}})"),
          FieldManager("davit")));
  EXPECT_EQ(answer.error().code(), Code::kAlreadyExists);
  EXPECT_EQ(answer.error().message(), "it is there");
  server.answer_error(Error(Code::kUnavailable, "refused"));
  EXPECT_EQ(run(loop, client.get(kPods, {"n", "a"})).error().code(), Code::kUnavailable);
}

TEST_F(ClientTest, AnInvalidRequestIsNeverSent) {
  EXPECT_EQ(run(loop, client.get(kPods, {"n", "../x"})).error().code(), Code::kInvalid);
  EXPECT_EQ(run(loop, client.remove(kPods, {"", "x"})).error().code(), Code::kInvalid);
  EXPECT_TRUE(server.requests.empty());
}

TEST_F(ClientTest, AnAnswerThatIsNoJsonIsUnavailable) {
  for (const std::string body : {"", "<html>", "[]", "{\"a\":", "{\"a\":\"\xff\"}"}) {
    server.answer(200, body);
    EXPECT_EQ(run(loop, client.get(kPods, {"n", "a"})).error().code(), Code::kUnavailable) << body;
  }
  server.answer(200, "{}");
  EXPECT_EQ(run(loop, client.list(kPods, "n")).error().code(), Code::kUnavailable);
}

TEST_F(ClientTest, ListFillsInTheKindAndProjects) {
  server.answer(200,
                R"({"metadata":{"resourceVersion":"123456789012345678901234567890","continue":"c"},
    "items":[{"metadata":{"name":"a","managedFields":[]},"spec":{"x":1},"status":{"y":2}}]})");
  ListOptions options;
  options.projection = std::make_shared<wire::Projection>(std::vector<std::string>{"status.y"});
  const List list = run(loop, client.list(kStatefulSets, "n", options)).value();
  EXPECT_EQ(list.version.value, "123456789012345678901234567890");
  EXPECT_EQ(list.continue_token, "c");
  ASSERT_EQ(list.items.size(), 1U);
  EXPECT_EQ(list.items[0], object(R"({"apiVersion":"apps/v1","kind":"StatefulSet",
    "metadata":{"name":"a"},"status":{"y":2}})"));
}

TEST_F(ClientTest, ListTakesNullItemsAsNone) {
  server.answer(200, R"({"metadata":{"resourceVersion":"1"},"items":null})");
  EXPECT_TRUE(run(loop, client.list(kPods, "n")).value().items.empty());
}

TEST_F(ClientTest, ListAllFollowsThePages) {
  server.answer(200, R"({"metadata":{"resourceVersion":"5","continue":"c1"},"items":[{"n":1}]})");
  server.answer(200, R"({"metadata":{"resourceVersion":"5","continue":"c2"},"items":[{"n":2}]})");
  server.answer(200, R"({"metadata":{"resourceVersion":"5"},"items":[{"n":3}]})");
  const List list = run(loop, client.list_all(kPods, "")).value();
  EXPECT_EQ(list.items.size(), 3U);
  EXPECT_EQ(list.version.value, "5");
  EXPECT_THAT(server.requests[2].target, testing::HasSubstr("continue=c2"));
}

TEST_F(ClientTest, ListAllStartsOverWholeWhenItsPagesExpire) {
  server.answer(200, R"({"metadata":{"resourceVersion":"5","continue":"c1"},"items":[{"n":1}]})");
  server.answer(410, R"({"kind":"Status","reason":"Expired","code":410})");
  server.answer(200, R"({"metadata":{"resourceVersion":"9"},"items":[{"n":1},{"n":2}]})");
  const List list = run(loop, client.list_all(kPods, "")).value();
  EXPECT_EQ(list.items.size(), 2U);
  EXPECT_EQ(list.version.value, "9");
  EXPECT_EQ(server.requests[2].target, "/api/v1/pods");
}

TEST_F(ClientTest, RemoveTakesStatusOrObjectAsSuccess) {
  server.answer(200, R"({"kind":"Status","status":"Success"})");
  EXPECT_TRUE(run(loop, client.remove(kPods, {"n", "a"})));
  server.answer(404, R"({"kind":"Status","reason":"NotFound","code":404})");
  EXPECT_EQ(run(loop, client.remove(kPods, {"n", "a"})).error().code(), Code::kNotFound);
}

TEST_F(ClientTest, RawAnswersBytes) {
  server.answer(200, std::string("log\0line", 8));
  EXPECT_EQ(run(loop, client.raw("GET", "/api/v1/namespaces/n/pods/a/log")).value(),
            std::string("log\0line", 8));
}

struct WatchTest : ClientTest {
  // All lines, and how the stream ended.
  std::pair<std::vector<std::string>, std::optional<Error>> watch() {
    auto stream = run(loop, client.watch(kPods, "n", {}));
    if (!stream) return {{}, stream.error()};
    std::vector<std::string> lines;
    for (;;) {
      auto line = run(loop, (*stream)->next(io::Deadline::after(loop, seconds(1))));
      if (!line) return {lines, line.error()};
      if (!*line) return {lines, std::nullopt};
      lines.push_back(**line);
    }
  }
};

TEST_F(WatchTest, GivesTheSameLinesWhereverTheBodyIsCut) {
  const std::string body =
      "{\"type\":\"ADDED\",\"object\":{\"a\":\"é\"}}\n{\"type\":\"DELETED\"}\n";
  for (std::size_t cut = 1; cut < body.size(); ++cut) {
    server.stream(200, {body.substr(0, cut), body.substr(cut)});
    const auto [lines, error] = watch();
    EXPECT_FALSE(error) << cut;
    EXPECT_THAT(lines, testing::ElementsAre("{\"type\":\"ADDED\",\"object\":{\"a\":\"é\"}}",
                                            "{\"type\":\"DELETED\"}"));
  }
}

TEST_F(WatchTest, ABodyThatEndsInsideALineIsACut) {
  server.stream(200, {std::string("{\"type\":1}\n{\"ty")});
  const auto [lines, error] = watch();
  EXPECT_EQ(lines.size(), 1U);
  EXPECT_EQ(error->code(), Code::kUnavailable);
}

TEST_F(WatchTest, MayBeReadAgainAfterADeadline) {
  server.stream(
      200, {std::string("{\"a\""), fail(Code::kDeadlineExceeded, "quiet"), std::string(":1}\n")});
  auto stream = run(loop, client.watch(kPods, "n", {})).value();
  const auto deadline = io::Deadline::after(loop, seconds(1));
  EXPECT_EQ(run(loop, stream->next(deadline)).error().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(run(loop, stream->next(deadline)).value(), "{\"a\":1}");
  EXPECT_EQ(run(loop, stream->next(deadline)).value(), std::nullopt);
}

TEST_F(WatchTest, ARefusalIsReadToItsEnd) {
  const std::string body = R"({"kind":"Status","reason":"Expired","message":"too old","code":410})";
  server.stream(410, {body.substr(0, 10), body.substr(10)});
  EXPECT_EQ(watch().second->message(), "too old");
  EXPECT_EQ(watch().second->code(), Code::kUnavailable);  // nothing scripted
  server.stream(403, {fail(Code::kUnavailable, "cut")});
  EXPECT_EQ(watch().second->code(), Code::kForbidden);
}

}  // namespace
}  // namespace davit::kube
