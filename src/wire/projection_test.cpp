#include "wire/projection.hpp"

#include <gtest/gtest.h>

namespace davit::wire {
namespace {

json::object object_of(std::string_view text) { return parse_json_object(text).value(); }

json::object project(std::string_view text, const std::vector<std::string>& paths) {
  ProjectionReader reader;
  auto object = reader.read(text, Projection(paths));
  EXPECT_TRUE(object) << object.error().message();
  return object ? *object : json::object();
}

constexpr std::string_view kPod = R"({"kind":"Pod","apiVersion":"v1",
  "metadata":{"name":"a","namespace":"n","uid":"u","selfLink":"/x","labels":{"a.b/c":"d"},
    "resourceVersion":"123456789012345678901234567890","managedFields":[{"manager":"m"}]},
  "spec":{"nodeName":"w","containers":[{"name":"c","image":"i"},{"name":"d","image":"j"}]},
  "status":{"phase":"Running","podIP":"10.0.0.1"}})";

TEST(Projection, KeepsOnlyNamedPathsAndTheIdentityOfTheObject) {
  EXPECT_EQ(project(kPod, {"status.phase"}), object_of(R"({"kind":"Pod","apiVersion":"v1",
    "metadata":{"name":"a","namespace":"n","uid":"u","labels":{"a.b/c":"d"},
    "resourceVersion":"123456789012345678901234567890"},"status":{"phase":"Running"}})"));
}

TEST(Projection, AppliesStepsToEachElementOfAnArray) {
  const json::object pod = project(kPod, {"spec.containers.name"});
  EXPECT_EQ(pod.at("spec"), parse_json(R"({"containers":[{"name":"c"},{"name":"d"}]})").value());
}

TEST(Projection, KeepsEverythingButManagedFieldsWithoutPaths) {
  json::object expected = object_of(kPod);
  expected["metadata"].get_object().erase("managedFields");
  EXPECT_EQ(project(kPod, {}), expected);
}

TEST(Projection, DropsManagedFieldsEvenIfMetadataIsNamed) {
  const json::object pod = project(kPod, {"metadata", "metadata.managedFields"});
  EXPECT_EQ(find(pod, "metadata.managedFields"), nullptr);
  EXPECT_EQ(find_string(pod, "metadata.selfLink"), "/x");
}

TEST(Projection, APathWinsOverItsOwnParts) {
  for (const auto& paths : {std::vector<std::string>{"spec", "spec.nodeName"},
                            std::vector<std::string>{"spec.nodeName", "spec"}}) {
    EXPECT_EQ(project(kPod, paths).at("spec"), object_of(kPod).at("spec"));
  }
}

TEST(Projection, WholeReadingAgreesWithTheSecondParser) {
  for (const std::string_view text :
       {R"({})", R"({"a":[]})", R"({"a":{},"b":[[],[{}]],"c":null,"d":true,"e":false})",
        R"({"n":[0,-1,9223372036854775807,-9223372036854775808,18446744073709551615,1.5,-0.25]})",
        R"({"s":"\u0000\"\\\n\u00e9\ud83d\ude00é😀","k\u0065y":"v","":"empty"})",
        R"(  {"a" : 1 , "b":{ "c" : [ 1 , 2 ] } }  )", R"({"a":1,"a":2})"}) {
    ProjectionReader reader;
    auto read = reader.read(text, Projection::whole());
    ASSERT_TRUE(read) << text << read.error().message();
    EXPECT_EQ(*read, object_of(text)) << text;
  }
}

TEST(Projection, IntegersBeyond64BitsBecomeDoublesAndTheRestIsStillRead) {
  const json::object object =
      project(R"({"a":99999999999999990000,"b":-99999999999999990000,"c":1e300,"d":7})",
              {"a", "b", "c", "d"});
  EXPECT_DOUBLE_EQ(object.at("a").as_double(), 99999999999999990000.0);
  EXPECT_DOUBLE_EQ(object.at("b").as_double(), -99999999999999990000.0);
  EXPECT_EQ(object.at("d").as_int64(), 7);
}

TEST(Projection, RefusesEveryTruncation) {
  ProjectionReader reader;
  for (std::size_t cut = 0; cut < kPod.size(); ++cut) {
    for (const auto& paths :
         {std::vector<std::string>{}, std::vector<std::string>{"status.phase"}}) {
      auto read = reader.read(kPod.substr(0, cut), Projection(paths));
      ASSERT_FALSE(read) << cut;
      EXPECT_EQ(read.error().code(), Code::kInvalid);
    }
  }
  EXPECT_TRUE(reader.read(kPod, Projection()));  // and a failure leaves the reader usable
}

TEST(Projection, RefusesWhatIsNoJsonObject) {
  ProjectionReader reader;
  using std::string_view_literals::operator""sv;
  for (const std::string_view text :
       {""sv, " "sv, "[]"sv, "1"sv, "null"sv, "\"a\""sv, "{}x"sv, "{} {}"sv, "{\"a\":nul}"sv,
        "{\"a\":01}"sv, "{\"a\":1x}"sv, "{\"a\":\"\x01\"}"sv, "{\"a\":\"\0\"}"sv,
        "{\"a\":\"\xff\"}"sv, "{\"skipped\":\"\xc3\x28\"}"sv, "{a:1}"sv, "{\"a\":1,}"sv,
        "{\"a\":\"\\x\"}"sv}) {
    EXPECT_FALSE(reader.read(text, Projection::whole())) << text;
  }
}

TEST(Projection, BoundsTheDepthOfWhatItKeepsNotOfWhatItSkips) {
  const std::string deep = R"({"a":)" + std::string(5000, '[') + std::string(5000, ']') + "}";
  ProjectionReader reader;
  EXPECT_FALSE(reader.read(deep, Projection::whole()));
  const std::string fair = R"({"a":)" + std::string(190, '[') + std::string(190, ']') + "}";
  EXPECT_TRUE(reader.read(fair, Projection::whole()));
  EXPECT_TRUE(reader.read(R"({"x":)" + std::string(500, '[') + std::string(500, ']') + "}",
                          Projection({"a"})));
}

}  // namespace
}  // namespace davit::wire
