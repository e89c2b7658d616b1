#include "kube/watch_event.hpp"

#include <gtest/gtest.h>

namespace davit::kube {
namespace {

constexpr std::string_view kLine =
    R"({"type":"MODIFIED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"n",)"
    R"("resourceVersion":"123456789012345678901234567890","managedFields":[{}]},"spec":{"x":"y"},)"
    R"("status":{"phase":"Running","podIP":"1"}}})";

TEST(WatchEvent, ReadsTheProjectedObject) {
  const auto event = parse_watch_line(kLine, wire::Projection({"status.phase"})).value();
  EXPECT_EQ(event.type, WatchEvent::Type::kModified);
  EXPECT_EQ(version_of(event.object).value, "123456789012345678901234567890");
  EXPECT_EQ(wire::canonical(event.object),
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","namespace":"n",)"
            R"("resourceVersion":"123456789012345678901234567890"},"status":{"phase":"Running"}})");
}

TEST(WatchEvent, ReadsEveryType) {
  for (const auto type : {WatchEvent::Type::kAdded, WatchEvent::Type::kModified,
                          WatchEvent::Type::kDeleted, WatchEvent::Type::kBookmark}) {
    const std::string line = "{\"object\":{},\"type\":\"" + std::string(to_string(type)) + "\"}";
    EXPECT_EQ(parse_watch_line(line, wire::Projection())->type, type);
  }
}

TEST(WatchEvent, BookmarksKeepTheirAnnotations) {
  const auto event =
      parse_watch_line(
          R"({"type":"BOOKMARK","object":{"kind":"Pod","metadata":{"resourceVersion":"9","annotations":)"
          R"({"k8s.io/initial-events-end":"true"}}}})",
          wire::Projection({"spec"}))
          .value();
  EXPECT_EQ(version_of(event.object).value, "9");
  EXPECT_EQ(event.object.at("metadata").at("annotations").as_object().size(), 1U);
}

TEST(WatchEvent, AnErrorEventIsItsStatus) {
  const auto event = parse_watch_line(
      R"({"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired",)"
      R"("message":"too old resource version: 1","code":410}})",
      wire::Projection({"spec"}));
  EXPECT_EQ(event.error().code(), Code::kGone);
  EXPECT_EQ(event.error().reason(), "Expired");
  EXPECT_EQ(event.error().message(), "too old resource version: 1");
  EXPECT_EQ(parse_watch_line(R"({"type":"ERROR"})", wire::Projection()).error().code(),
            Code::kInvalid);
}

TEST(WatchEvent, EveryTruncationAndStrangeLineIsInvalid) {
  wire::ProjectionReader reader;
  const wire::Projection projection({"status"});
  for (std::size_t cut = 0; cut < kLine.size(); ++cut) {
    EXPECT_EQ(parse_watch_line(kLine.substr(0, cut), projection, reader).error().code(),
              Code::kInvalid)
        << cut;
  }
  EXPECT_TRUE(parse_watch_line(kLine, projection, reader));
  using std::string_view_literals::operator""sv;
  for (const std::string_view line :
       {"{}"sv, R"({"type":"ADDED"})"sv, R"({"type":"ADDED","object":[]})"sv,
        R"({"type":"ADDED","object":null})"sv, R"({"type":"NOVEL","object":{}})"sv,
        R"({"type":5,"object":{}})"sv, "\0\0"sv,
        "{\"type\":\"ADDED\",\"object\":{\"a\":\"\xc3\"}}"sv,
        "{\"type\":\"ADDED\",\"object\":{\"a\":\"\0\"}}"sv}) {
    EXPECT_EQ(parse_watch_line(line, projection, reader).error().code(), Code::kInvalid) << line;
  }
}

}  // namespace
}  // namespace davit::kube
