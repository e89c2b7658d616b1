#include "wire/schema.hpp"

#include <gmock/gmock.h>

#include "wire/schema_markdown.hpp"
#include "wire/schema_openapi.hpp"

namespace davit::wire {

namespace {

struct Inner {
  std::string name;
  std::optional<std::int64_t> count;
};

struct Outer {
  std::string text;
  bool flag = true;
  std::int64_t number = 7;
  std::optional<Inner> maybe;
  std::vector<Inner> list;
  std::map<std::string, std::string> map;
  std::optional<std::int64_t> percent;
  std::optional<std::string> quantity;
};

}  // namespace

template <>
const Struct& describe<Inner>() {
  static constexpr Field kFields[]{
      field<&Inner::name>({.name = "name", .text = "Its name.", .required = true}),
      field<&Inner::count>(
          {.name = "count", .text = "How many.", .absent = "any", .minimum = 1, .maximum = 3}),
  };
  static constexpr Struct kStruct = structure<Inner>("Inner", "One inner.", kFields);
  return kStruct;
}

template <>
const Struct& describe<Outer>() {
  static constexpr Field kFields[]{
      field<&Outer::text>({.name = "text",
                           .text = "Some text.",
                           .max_length = 9,
                           .pattern = "^a",
                           .immutable = "text stays"}),
      field<&Outer::flag>({.name = "flag", .text = "A flag.", .defaulted = true}),
      field<&Outer::number>(
          {.name = "number", .text = "A number.", .unit = "ms", .defaulted = true}),
      field<&Outer::maybe>({.name = "maybe", .text = "Maybe."}),
      field<&Outer::list>({.name = "list", .text = "A list.", .max_items = 4, .list_key = "name"}),
      field<&Outer::map>({.name = "map",
                          .text = "A map.",
                          .form = Form::kText,
                          .max_length = 8,
                          .max_items = 2,
                          .one_of = "a b"}),
      field<&Outer::percent>({.name = "percent", .text = "A part.", .form = Form::kPercent}),
      field<&Outer::quantity>({.name = "quantity",
                               .text = "A size.",
                               .form = Form::kQuantity,
                               .rule = {.cel = "true", .message = "never", .expression = "'x'"}}),
  };
  static constexpr Struct kStruct = structure<Outer>("Outer", "All there is.", kFields);
  return kStruct;
}

namespace {

using testing::HasSubstr;

json::object parse(std::string_view text) { return parse_json_object(text).value(); }

std::string error_of(std::string_view text) {
  const auto read_back = read<Outer>(parse(text), "spec");
  return read_back ? "no error" : read_back.error().message();
}

TEST(Schema, WhatIsWrittenReadsBackTheSame) {
  constexpr std::string_view kText =
      R"({"text":"a","flag":false,"number":9,"maybe":{"name":"m","count":2},"list":[{"name":"l"}],)"
      R"("map":{"k":"v"},"percent":"38%","quantity":"2Gi"})";
  const auto outer = read<Outer>(parse(kText), "spec");
  ASSERT_TRUE(outer) << outer.error().message();
  EXPECT_EQ(outer->percent, 38);
  EXPECT_EQ(outer->maybe->count, 2);
  EXPECT_EQ(json::serialize(write(*outer)), kText);
}

TEST(Schema, AbsentAndNullKeepTheDefault) {
  const auto outer = read<Outer>(parse(R"({"flag":null,"maybe":null})"), "spec");
  ASSERT_TRUE(outer);
  EXPECT_TRUE(outer->flag);
  EXPECT_EQ(outer->number, 7);
  EXPECT_FALSE(outer->maybe);
}

TEST(Schema, TheWriterLeavesOutWhatIsEmpty) {
  EXPECT_EQ(json::serialize(write(Outer{})), R"({"text":"","flag":true,"number":7})");
}

TEST(Schema, UnknownMembersAreIgnored) {
  EXPECT_TRUE(read<Outer>(parse(R"({"nothing":{"like":"it"}})"), "spec"));
}

TEST(Schema, AWrongTypeIsToldWithItsPath) {
  EXPECT_EQ(error_of(R"({"number":"9"})"), "spec.number must be an integer, but is text");
  EXPECT_EQ(error_of(R"({"number":1.5})"), "spec.number must be an integer, but is a number");
  EXPECT_EQ(error_of(R"({"list":[{"name":"a"},{"name":true}]})"),
            "spec.list[1].name must be text, but is a boolean");
  EXPECT_EQ(error_of(R"({"map":{"K":[]}})"), "spec.map[K] must be text or a number, but is a list");
  EXPECT_EQ(error_of(R"({"maybe":[]})"), "spec.maybe must be an object, but is a list");
  EXPECT_EQ(error_of(R"({"list":{}})"), "spec.list must be a list, but is an object");
  EXPECT_EQ(error_of(R"({"map":1})"), "spec.map must be a map, but is an integer");
  EXPECT_EQ(error_of(R"({"flag":"true"})"), "spec.flag must be true or false, but is text");
  EXPECT_EQ(error_of(R"({"percent":"38"})"),
            R"(spec.percent must be a percentage such as "5%", but is "38")");
}

TEST(Schema, QuantitiesAndTextMayBeNumbers) {
  const auto outer = read<Outer>(parse(R"({"quantity":2,"map":{"a":1,"b":1.5}})"), "spec");
  ASSERT_TRUE(outer) << outer.error().message();
  EXPECT_EQ(outer->quantity, "2");
  EXPECT_EQ(outer->map.at("a"), "1");
  EXPECT_EQ(outer->map.at("b"), "1.5");
}

TEST(Schema, OpenApiHasWhatTheTableSays) {
  const json::object schema = openapi(describe<Outer>());
  const auto at = [&](std::string_view path) {
    const json::value* value = find(schema, path);
    return value != nullptr ? json::serialize(*value) : "absent";
  };
  EXPECT_EQ(at("properties.text.maxLength"), "9");
  EXPECT_EQ(at("properties.text.pattern"), R"("^a")");
  EXPECT_EQ(at("properties.text.x-kubernetes-validations"),
            R"([{"rule":"self == oldSelf","message":"text stays"}])");
  EXPECT_EQ(at("properties.flag.default"), "true");
  EXPECT_EQ(at("properties.number.default"), "7");
  EXPECT_EQ(at("properties.maybe.required"), R"(["name"])");
  EXPECT_EQ(at("properties.maybe.description"), R"("Maybe.")");
  EXPECT_EQ(at("properties.maybe.properties.count.maximum"), "3");
  EXPECT_EQ(at("properties.list.x-kubernetes-list-type"), R"("map")");
  EXPECT_EQ(at("properties.list.x-kubernetes-list-map-keys"), R"(["name"])");
  EXPECT_EQ(at("properties.list.maxItems"), "4");
  EXPECT_EQ(at("properties.map.maxProperties"), "2");
  EXPECT_EQ(at("properties.map.additionalProperties.x-kubernetes-int-or-string"), "true");
  EXPECT_EQ(at("properties.map.additionalProperties.enum"), R"(["a","b"])");
  EXPECT_EQ(at("properties.percent.type"), R"("string")");
  EXPECT_EQ(at("properties.quantity.x-kubernetes-validations"),
            R"([{"rule":"true","message":"never","messageExpression":"'x'"}])");
  EXPECT_EQ(at("required"), "absent");
}

TEST(Schema, ADescriptionCarriesUnitDefaultAndBounds) {
  const json::object schema = openapi(describe<Outer>());
  EXPECT_EQ(find_string(schema, "properties.number.description"),
            "A number. Unit: ms. Default: 7.");
  EXPECT_EQ(find_string(schema, "properties.maybe.properties.count.description"),
            "How many. Default: any. Allowed: 1 to 3.");
  EXPECT_EQ(find_string(schema, "properties.map.description"), "A map. At most 2 entries.");
}

TEST(Schema, TheReferenceHasATableForEachStruct) {
  const std::string text = reference(describe<Outer>(), "spec");
  EXPECT_THAT(text, HasSubstr("## spec\n\nAll there is.\n"));
  EXPECT_THAT(text, HasSubstr("## spec.list[]\n\nOne inner.\n"));
  EXPECT_THAT(text, HasSubstr("| `number` | integer | A number. Unit: ms. Default: 7. |"));
  EXPECT_THAT(text, HasSubstr("One of `a`, `b`. |"));
}

}  // namespace
}  // namespace davit::wire
