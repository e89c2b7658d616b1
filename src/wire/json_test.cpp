#include "wire/json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace davit::wire {
namespace {

TEST(Json, FindsAlongDottedPathsAndNeverFails) {
  const json::object object =
      parse_json_object(R"({"a":{"b":{"c":"x","n":3}},"l":[1],"t":true,"":{"":1}})").value();
  EXPECT_EQ(find_string(object, "a.b.c"), "x");
  EXPECT_EQ(find_int(object, "a.b.n"), 3);
  EXPECT_TRUE(find_bool(object, "t", false));
  EXPECT_NE(find_object(object, "a.b"), nullptr);
  EXPECT_NE(find_array(object, "l"), nullptr);
  for (const std::string_view path : {"a.x", "a.b.c.d", "l.0", "zz", ".a", "t.t"}) {
    EXPECT_EQ(find(object, path), nullptr) << path;
  }
  EXPECT_EQ(find_string(object, "a.b.n", "fallback"), "fallback");
  EXPECT_EQ(find_int(object, "a.b.c"), std::nullopt);
}

TEST(Json, FindIntTakesOnlyWhatFitsExactly) {
  const json::object object{{"u", std::numeric_limits<std::uint64_t>::max()},
                            {"small", std::uint64_t{5}},
                            {"d", 3.0},
                            {"h", 3.5},
                            {"big", 1e300}};
  EXPECT_EQ(find_int(object, "u"), std::nullopt);
  EXPECT_EQ(find_int(object, "small"), 5);
  EXPECT_EQ(find_int(object, "d"), 3);
  EXPECT_EQ(find_int(object, "h"), std::nullopt);
  EXPECT_EQ(find_int(object, "big"), std::nullopt);
}

TEST(Json, EnsureObjectMakesStepsAndReplacesWhatIsNoObject) {
  json::object object{{"a", 1}};
  ensure_object(object, "a.b")["c"] = 2;
  ensure_object(object, "a.b")["d"] = 3;
  EXPECT_EQ(canonical(object), R"({"a":{"b":{"c":2,"d":3}}})");
}

TEST(Json, ParseErrorsNameTheByte) {
  EXPECT_THAT(parse_json(R"({"a":x})").error().message(), testing::HasSubstr("byte 5"));
  EXPECT_THAT(parse_json("{} x").error().message(), testing::HasSubstr("byte 3"));
  EXPECT_THAT(parse_json_object("[1]").error().message(), testing::HasSubstr("byte 0"));
  EXPECT_EQ(parse_json("").error().code(), Code::kInvalid);
}

TEST(Json, DepthIsBounded) {
  EXPECT_TRUE(parse_json(std::string(64, '[') + std::string(64, ']')));
  EXPECT_FALSE(parse_json(std::string(65, '[') + std::string(65, ']')));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(Json, RefusesInvalidUtf8AndRawControlCharacters) {
  EXPECT_FALSE(parse_json("\"\xff\""));
  EXPECT_FALSE(parse_json(std::string_view("\"\0\"", 3)));
  EXPECT_TRUE(parse_json(R"("\u0000")"));
}

TEST(Json, CanonicalSortsEveryLevelAndWritesNumbersPlainly) {
  EXPECT_EQ(
      canonical(parse_json(R"({"b":[{"z":1,"a":2.0}],"a":1.50,"c":1e3,"d":"x\"\u0001"})").value()),
      R"({"a":1.5,"b":[{"a":2,"z":1}],"c":1000,"d":"x\"\u0001"})");
  EXPECT_EQ(canonical(json::value(std::numeric_limits<double>::infinity())), "null");
  EXPECT_EQ(parse_json(canonical(json::value(0.1))).value(), json::value(0.1));
  EXPECT_EQ(parse_json(canonical(json::value(1e300))).value(), json::value(1e300));
}

TEST(Json, PrettyKeepsTheOrderAndEndsWithANewline) {
  EXPECT_EQ(pretty(parse_json(R"({"b":{"x":[1,"a"]},"a":[],"c":{}})").value()),
            "{\n  \"b\": {\n    \"x\": [\n      1,\n      \"a\"\n    ]\n  },\n  \"a\": [],\n"
            "  \"c\": {}\n}\n");
}

}  // namespace
}  // namespace davit::wire
