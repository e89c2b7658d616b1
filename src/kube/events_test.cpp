#include "kube/events.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/event_object.hpp"
#include "kube/fake_transport_for_test.hpp"

namespace davit::kube {
namespace {

using std::chrono::minutes;

json::object pod(std::string_view uid = "u") {
  json::object object =
      wire::parse_json_object(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"n","name":"a","resourceVersion":"5"}})")
          .value();
  wire::ensure_object(object, "metadata")["uid"] = uid;
  return object;
}

struct EventsTest : testing::Test {
  io::ManualLoop loop;
  FakeTransport server;
  Client client{server, loop};
  SeededRandom random{1};
  EventRecorder events{client, random, {.instance = "davit-0"}};

  void record(std::string note = "note", const json::object& object = pod()) {
    server.answer(201);
    events.record(object, EventType::kWarning, "Reason", "Act", std::move(note));
    loop.run_ready();
  }
};

TEST_F(EventsTest, AreWrittenAsTheApiWantsThem) {
  record();
  ASSERT_EQ(server.requests.size(), 1U);
  EXPECT_THAT(server.requests[0].target,
              testing::StartsWith("/apis/events.k8s.io/v1/namespaces/n/events?"));
  json::object event = server.body(0);
  EXPECT_THAT(std::string(wire::find_string(event, "metadata.name")),
              testing::MatchesRegex("a\\.[0-9a-f]{16}"));
  wire::ensure_object(event, "metadata").erase("name");
  EXPECT_EQ(event, wire::parse_json_object(R"({"apiVersion":"events.k8s.io/v1","kind":"Event",
    "metadata":{"namespace":"n"},"eventTime":"2026-01-01T00:00:00.000000Z",
    "reportingController":"davit","reportingInstance":"davit-0","type":"Warning","reason":"Reason",
    "action":"Act","note":"note","regarding":{"apiVersion":"v1","kind":"Pod","namespace":"n",
    "name":"a","uid":"u","resourceVersion":"5"}})")
                       .value());
  EXPECT_EQ(events.counts().sent, 1U);
}

TEST_F(EventsTest, RecordReturnsBeforeAnythingIsSent) {
  events.record(pod(), EventType::kNormal, "R", "A", "n");
  EXPECT_TRUE(server.requests.empty());
}

TEST_F(EventsTest, ARepeatIsCountedAndPatchedAtMostEveryFiveMinutes) {
  record();
  for (int i = 0; i < 100; ++i) record();
  EXPECT_EQ(server.requests.size(), 1U);
  EXPECT_EQ(events.counts().suppressed, 100U);
  loop.advance(minutes(5));
  record();
  ASSERT_EQ(server.requests.size(), 2U);
  EXPECT_EQ(server.requests[1].method, "PATCH");
  EXPECT_THAT(server.requests[1].target,
              testing::HasSubstr(std::string(wire::find_string(server.body(0), "metadata.name"))));
  EXPECT_EQ(wire::canonical(server.body(1)),
            R"({"series":{"count":102,"lastObservedTime":"2026-01-01T00:05:00.000000Z"}})");
  loop.advance(minutes(4));
  record();
  EXPECT_EQ(server.requests.size(), 2U);
}

TEST_F(EventsTest, AfterTenQuietMinutesItIsANewEvent) {
  record();
  loop.advance(minutes(10));
  record();
  ASSERT_EQ(server.requests.size(), 2U);
  EXPECT_EQ(server.requests[1].method, "POST");
}

TEST_F(EventsTest, OtherNotesTypesAndObjectsAreOtherEvents) {
  record("a");
  record("b");
  record("a", pod("v"));
  events.record(pod(), EventType::kNormal, "Reason", "Act", "a");
  loop.run_ready();
  EXPECT_EQ(server.requests.size(), 4U);
}

TEST_F(EventsTest, EachObjectHasItsBudget) {
  for (int i = 0; i < 60; ++i) record("note " + std::to_string(i));
  EXPECT_EQ(server.requests.size(), 25U);
  record("other", pod("v"));
  EXPECT_EQ(server.requests.size(), 26U);
  loop.advance(minutes(5));
  record("one more");
  record("not this");
  EXPECT_EQ(server.requests.size(), 27U);
}

TEST_F(EventsTest, AFailureIsCountedToldAndForgotten) {
  std::vector<Code> codes;
  events.on_failure([&](const Error& error) { codes.push_back(error.code()); });
  server.answer(403, R"({"kind":"Status","reason":"Forbidden","code":403})");
  events.record(pod(), EventType::kNormal, "R", "A", "n");
  loop.run_ready();
  EXPECT_THAT(codes, testing::ElementsAre(Code::kForbidden));
  EXPECT_EQ(events.counts().failed, 1U);
  server.answer(201);
  events.record(pod(), EventType::kNormal, "R", "A", "n");
  loop.run_ready();
  EXPECT_EQ(server.requests.size(), 2U);  // not taken for a repeat of what never arrived
  EXPECT_EQ(events.counts().sent, 1U);
}

TEST_F(EventsTest, ASeriesWhoseEventHasExpiredStartsAnew) {
  record();
  loop.advance(minutes(6));
  events.record(pod(), EventType::kWarning, "Reason", "Act", "note");
  loop.run_ready();  // nothing scripted: the patch fails
  record();
  EXPECT_EQ(server.requests[2].method, "POST");
}

TEST_F(EventsTest, DestroyingTheRecorderDropsWhatIsNotSent) {
  {
    EventRecorder brief(client, random);
    brief.record(pod(), EventType::kNormal, "R", "A", "n");
  }
  loop.run_ready();
  EXPECT_TRUE(server.requests.empty());
  EXPECT_EQ(loop.pending(), 0U);
}

TEST(EventObject, KeepsEveryLimitOfTheApi) {
  json::object node =
      wire::parse_json_object(R"({"apiVersion":"v1","kind":"Node","metadata":{}})").value();
  wire::ensure_object(node, "metadata")["name"] =
      std::string(235, 'a') + "." + std::string(17, 'b');
  EventOptions options;
  options.instance = std::string(300, 'i');
  const json::object event = make_event(
      node, {EventType::kNormal, std::string(300, 'r'), "", std::string(1023, 'n') + "éé"}, options,
      "0123456789abcdef", WallTime());
  const std::string name(wire::find_string(event, "metadata.name"));
  EXPECT_EQ(name, std::string(235, 'a') + ".0123456789abcdef");
  EXPECT_EQ(wire::find_string(event, "metadata.namespace"), "default");
  EXPECT_EQ(wire::find_string(event, "reason").size(), 128U);
  EXPECT_EQ(wire::find_string(event, "action"), wire::find_string(event, "reason"));
  EXPECT_EQ(wire::find_string(event, "reportingInstance").size(), 128U);
  EXPECT_EQ(wire::find_string(event, "note"), std::string(1021, 'n') + "...");
}

}  // namespace
}  // namespace davit::kube
