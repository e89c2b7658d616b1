#include "wire/yaml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/yaml_scalar.hpp"

namespace davit::wire {
namespace {

json::value one(std::string_view text) {
  auto documents = parse_yaml(text);
  EXPECT_TRUE(documents) << text << (documents ? "" : documents.error().message());
  if (!documents || documents->size() != 1) {
    ADD_FAILURE() << "not one document: " << text;
    return nullptr;
  }
  return documents->front();
}

TEST(Yaml, ReadsSeveralDocumentsAndLeavesEmptyOnesOut) {
  const auto documents = parse_yaml("---\na: 1\n---\n# nothing\n---\nb: [x, 2]\n...\n").value();
  ASSERT_EQ(documents.size(), 2U);
  EXPECT_EQ(canonical(documents[0]), R"({"a":1})");
  EXPECT_EQ(canonical(documents[1]), R"({"b":["x",2]})");
  EXPECT_TRUE(parse_yaml("")->empty());
  EXPECT_TRUE(parse_yaml("# only a comment\n")->empty());
}

TEST(Yaml, TypesPlainScalarsAsKubectlDoes) {
  const std::pair<std::string_view, std::string_view> kCases[] = {
      {"1", "1"},
      {"-1", "-1"},
      {"+1", "1"},
      {"010", "8"},
      {"0x1F", "31"},
      {"0b11", "3"},
      {"0o17", "15"},
      {"1_000", "1000"},
      {"1.5", "1.5"},
      {".5", "0.5"},
      {"5.", "5"},
      {"1e3", "1000"},
      {"1.5e-3", "0.0015"},
      {"18446744073709551615", "18446744073709551615"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"true", "true"},
      {"Yes", "true"},
      {"on", "true"},
      {"y", "true"},
      {"off", "false"},
      {"N", "false"},
      {"null", "null"},
      {"~", "null"},
      {"tRue", "\"tRue\""},
      {"nULL", "\"nULL\""},
      {"1Gi", "\"1Gi\""},
      {"500m", "\"500m\""},
      {"2026-11-30", "\"2026-11-30\""},
      {"12:30:45", "\"12:30:45\""},
      {"1.2.3", "\"1.2.3\""},
      {"0x", "\"0x\""},
      {"1e", "\"1e\""},
      {"e3", "\"e3\""},
      {"-", "\"-\""},
      {"089", "89"},
      {".", "\".\""},
      {"0.35.0-rc1", "\"0.35.0-rc1\""}};
  for (const auto& [text, expected] : kCases) {
    if (text == "-") continue;
    EXPECT_EQ(canonical(one("v: " + std::string(text))), "{\"v\":" + std::string(expected) + "}")
        << text;
  }
}

TEST(Yaml, QuotedAndTaggedScalarsAreStrings) {
  EXPECT_EQ(canonical(one("[\"1\", 'yes', \"null\", !!str 1, !!str yes, \"a\\u00e9\\n\"]")),
            "[\"1\",\"yes\",\"null\",\"1\",\"yes\",\"aé\\n\"]");
  EXPECT_EQ(canonical(one("a: |\n  1\nb: >-\n  x\n  y\n")), R"({"a":"1\n","b":"x y"})");
  EXPECT_FALSE(parse_yaml("a: !!binary aGk="));
  EXPECT_FALSE(parse_yaml("a: !custom x"));
}

TEST(Yaml, AnchorsAndMergeKeysExpand) {
  EXPECT_EQ(canonical(one("base: &b {x: 1, z: 2}\nuse:\n  <<: *b\n  z: 3\nlist: [*b]\n")),
            R"({"base":{"x":1,"z":2},"list":[{"x":1,"z":2}],"use":{"x":1,"z":3}})");
  EXPECT_EQ(
      canonical(one("a: &a {x: 1}\nb: &b {x: 2, z: 2}\nc:\n  <<: [*a, *b]\n").as_object().at("c")),
      R"({"x":1,"z":2})");
  EXPECT_FALSE(parse_yaml("a:\n  <<: 1\n"));
}

TEST(Yaml, KeysBecomeStringsOfTheirMeaningAsInKubectl) {
  EXPECT_EQ(canonical(one("1: a\ny: b\n\"2\": c\n")), R"({"1":"a","2":"c","true":"b"})");
  EXPECT_FALSE(parse_yaml("[a]: b"));
}

TEST(Yaml, RefusesWithTheLine) {
  const auto doubled = parse_yaml("a: 1\nb: 2\na: 3\n");
  ASSERT_FALSE(doubled);
  EXPECT_THAT(doubled.error().message(), testing::HasSubstr("line 3"));
  for (const std::string_view text :
       {"a: [1", "a: b: c", "a: .inf", "a: .nan", "\ta: 1", "a: \"x", "a: *missing"}) {
    const auto documents = parse_yaml(text);
    EXPECT_FALSE(documents) << text;
    if (!documents) EXPECT_EQ(documents.error().code(), Code::kInvalid);
  }
}

TEST(Yaml, RefusesHostileBytesAndExpansion) {
  EXPECT_FALSE(parse_yaml("a: \xff"));
  EXPECT_FALSE(parse_yaml(std::string_view("a: \0b", 5)));
  EXPECT_FALSE(parse_yaml(std::string(2000, '[')));
  EXPECT_FALSE(parse_yaml(std::string(100, '[') + std::string(100, ']')));
  EXPECT_FALSE(parse_yaml("a: &a [*a]"));
  std::string laughs = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    laughs += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) laughs += (j == 0 ? "" : ",") + before;
    laughs += "]\n";
  }
  EXPECT_FALSE(parse_yaml(laughs));
}

TEST(Yaml, ReadsJsonWithTabs) {
  EXPECT_EQ(canonical(one("{\n\t\"a\":\t[1, \"yes\"]\n}")), R"({"a":[1,"yes"]})");
}

TEST(Yaml, WritesInKubectlsShape) {
  const json::value value = parse_json(R"({"kind":"X","metadata":{"name":"a","labels":{}},
    "list":[{"a":1,"b":[1,"two"]},[1,[2]],"s",[],null],"text":"line 1\n  line 2\n\nline 4\n",
    "cut":"a\nb","yes":"yes","n":"1","size":"100Gi","v":1.5,"empty":"","t":true})")
                                .value();
  EXPECT_EQ(to_yaml(value), R"(kind: X
metadata:
  name: a
  labels: {}
list:
- a: 1
  b:
  - 1
  - two
-
  - 1
  -
    - 2
- s
- []
- null
text: |
  line 1
    line 2

  line 4
cut: |-
  a
  b
"yes": "yes"
"n": "1"
size: "100Gi"
v: 1.5
empty: ""
t: true
)");
  EXPECT_EQ(one(to_yaml(value)), value);
}

TEST(Yaml, EveryStringSurvivesThereAndBack) {
  std::vector<std::string> texts = {"",
                                    " ",
                                    "a",
                                    "a ",
                                    " a",
                                    "a: b",
                                    "a:b",
                                    "a #b",
                                    "a#b",
                                    "#a",
                                    "- a",
                                    "-",
                                    "?",
                                    "? a",
                                    "|",
                                    ">",
                                    "&a",
                                    "*a",
                                    "!a",
                                    "%a",
                                    "@a",
                                    "`a",
                                    "{a}",
                                    "[a]",
                                    "a,b",
                                    "'",
                                    "\"",
                                    "\\",
                                    "yes",
                                    "No",
                                    "ON",
                                    "null",
                                    "~",
                                    "true",
                                    "1",
                                    "1.5",
                                    "0x1F",
                                    "1e3",
                                    "1_000",
                                    ".inf",
                                    "-.inf",
                                    ".nan",
                                    "<<",
                                    "=",
                                    "2026-11-30",
                                    "12:30",
                                    "---",
                                    "--- a",
                                    "...",
                                    "a\nb",
                                    "a\nb\n",
                                    "a\n\nb\n\n",
                                    "\na",
                                    "a\n",
                                    "\n",
                                    " a\nb",
                                    "a \nb",
                                    "a\n b",
                                    "a\tb",
                                    "\ta\nb",
                                    "a\n\tb",
                                    "a\r\nb",
                                    "a\rb",
                                    "#a\nb",
                                    "---\na\n",
                                    "a\n---\n",
                                    "é",
                                    "日本\n語",
                                    "😀",
                                    "a\xc2\x85",
                                    "\xe2\x80\xa8",
                                    "\xef\xbb\xbfx",
                                    "\x7f",
                                    "\x01",
                                    "x:",
                                    "a: |\n  b",
                                    "http://a.b:80/c?d=e&f",
                                    "key: [value",
                                    "\xef\xbf\xbf",
                                    "\xc2\x80"};
  texts.emplace_back("a\0b", 3);
  texts.emplace_back(5000, 'x');
  for (const std::string& text : texts) {
    const json::value value =
        json::object{{"top", text}, {"list", {text, json::object{{"k", text}}}}};
    const std::string yaml = to_yaml(value);
    const auto back = parse_yaml(yaml);
    ASSERT_TRUE(back) << yaml << back.error().message();
    EXPECT_EQ(back->at(0), value) << yaml;
    if (text.size() > 100) continue;
    const json::value keyed = json::object{{text, 1}};
    EXPECT_EQ(one(to_yaml(keyed)), keyed) << text;
  }
}

TEST(Yaml, ScalarsAndDocumentsAtTheRoot) {
  EXPECT_EQ(to_yaml(json::value(5)), "5\n");
  EXPECT_EQ(to_yaml(json::object{}), "{}\n");
  EXPECT_EQ(to_yaml(json::array{1, 2}), "- 1\n- 2\n");
  const std::vector<json::value> documents = {json::object{{"a", 1}}, json::object{{"b", 2}}};
  EXPECT_EQ(to_yaml_documents(documents), "a: 1\n---\nb: 2\n");
  EXPECT_EQ(parse_yaml(to_yaml_documents(documents)).value(), documents);
}

}  // namespace
}  // namespace davit::wire
