#include "sim/serve/json_path.hpp"

#include <gtest/gtest.h>

namespace davit::sim {
namespace {

const json::object& node() {
  static const json::object object =
      wire::parse_json_object(R"({"status": {"lastBlock": 7, "a.b": 1, "conditions": [
        {"type": "Ingesting", "status": "Unknown"}, {"type": "Ready", "status": "True"}]},
        "kind": "BlockNode"})")
          .value();
  return object;
}

std::string at(std::string_view path) {
  const json::value* value = first_match(node(), path);
  return value ? json::serialize(*value) : "(nothing)";
}

TEST(JsonPath, MembersAndIndexes) {
  EXPECT_EQ(at(".kind"), R"("BlockNode")");
  EXPECT_EQ(at(".status.lastBlock"), "7");
  EXPECT_EQ(at("['status']['lastBlock']"), "7");
  EXPECT_EQ(at(".status.conditions[0].type"), R"("Ingesting")");
  EXPECT_EQ(at(".status.conditions[-1].type"), R"("Ready")");
  EXPECT_EQ(at(".status.conditions[*].type"), R"("Ingesting")");
  EXPECT_EQ(at(".status.a\\.b"), "1");
}

TEST(JsonPath, FiltersByEquality) {
  EXPECT_EQ(at(R"(.status.conditions[?(@.type=="Ready")].status)"), R"("True")");
  EXPECT_EQ(at(R"(.status.conditions[?(@.type == 'Ready')].status)"), R"("True")");
  EXPECT_EQ(at(R"(.status.conditions[?(@.type=="Stalled")].status)"), "(nothing)");
}

TEST(JsonPath, WhatLeadsNowhereOrIsNotUnderstoodMatchesNothing) {
  for (const char* path : {"", ".", ".spec.x", ".status.conditions[9]", ".status.conditions[x]",
                           ".status.conditions[", ".status.conditions[?(@.type>1)]", "..kind"}) {
    EXPECT_EQ(at(path), "(nothing)") << path;
  }
}

}  // namespace
}  // namespace davit::sim
