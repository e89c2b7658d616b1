#include "kube/access.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/fake_transport_for_test.hpp"

namespace davit::kube {
namespace {

constexpr Access kFirst[] = {
    {kStatefulSets, "", kReadAndWatch, "see workloads", ""},
    {kPods, "", Verb::kGet, "see pods", ""},
    {kLeases, "", Verb::kGet | Verb::kUpdate, "lead", "davit"},
    {kLeases, "", Verb::kCreate, "lead", ""},
};
constexpr Access kSecond[] = {
    {kPods, "", kReadAndWatch | Verb::kDelete, "restart nodes", ""},
    {kServices, "", kReadAndWatch | Verb::kDelete, "expose nodes", ""},
    {kStatefulSets, "status", Verb::kGet, "see progress", ""},
    {kLeases, "", Verb::kGet, "see members", ""},
    {kConfigMaps, "", Verb::kNone, "", ""},
};
constexpr AccessTable kTables[] = {kFirst, kSecond};

TEST(Access, MergesTablesIntoMinimalSortedRules) {
  EXPECT_EQ(json::value(rbac_rules(kTables)), wire::parse_json(R"([
    {"apiGroups":[""],"resources":["pods","services"],"verbs":["delete","get","list","watch"]},
    {"apiGroups":["apps"],"resources":["statefulsets"],"verbs":["get","list","watch"]},
    {"apiGroups":["apps"],"resources":["statefulsets/status"],"verbs":["get"]},
    {"apiGroups":["coordination.k8s.io"],"resourceNames":["davit"],"resources":["leases"],"verbs":["update"]},
    {"apiGroups":["coordination.k8s.io"],"resources":["leases"],"verbs":["create","get"]}])")
                                                  .value());
}

TEST(Access, TheOrderOfTablesDoesNotMatter) {
  constexpr AccessTable kSwapped[] = {kSecond, kFirst};
  EXPECT_EQ(rbac_rules(kTables), rbac_rules(kSwapped));
  EXPECT_TRUE(rbac_rules({}).empty());
}

TEST(Access, AsksForEachVerbOnceAndTellsWhatIsMissing) {
  io::ManualLoop loop;
  FakeTransport server;
  Client client(server, loop);
  constexpr Access kTable[] = {
      {kStatefulSets, "status", Verb::kGet | Verb::kPatch, "see progress", ""},
      {kStatefulSets, "status", Verb::kGet, "again", ""},
      {kNodes, "", Verb::kList, "find zones", ""},
      {kSecrets, "", Verb::kGet, "", "tls"}};
  server.answer(201, R"({"status":{"allowed":true}})");
  server.answer(201, R"({"status":{"allowed":false,"reason":"RBAC"}})");
  server.answer(201, R"({"status":{}})");
  server.answer(201, R"({"status":{"allowed":false}})");
  const auto missing = run(loop, find_missing(client, {kTable}, "n")).value();
  ASSERT_EQ(missing.size(), 3U);
  EXPECT_EQ(missing[0].describe(),
            "Davit may not patch statefulsets.apps/status in namespace n, which is needed to see "
            "progress");
  EXPECT_EQ(missing[1].describe(), "Davit may not list nodes, which is needed to find zones");
  EXPECT_EQ(missing[2].describe(), "Davit may not get secrets \"tls\" in namespace n");
  ASSERT_EQ(server.requests.size(), 4U);
  EXPECT_THAT(server.requests[0].target,
              testing::StartsWith("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"));
  EXPECT_EQ(server.body(0).at("spec"), wire::parse_json(R"({"resourceAttributes":{"verb":"get",
    "group":"apps","version":"v1","resource":"statefulsets","subresource":"status","namespace":"n"}})")
                                           .value());
  EXPECT_FALSE(wire::find(server.body(2), "spec.resourceAttributes.namespace"));
}

TEST(Access, AServerThatCannotBeAskedIsAnError) {
  io::ManualLoop loop;
  FakeTransport server;
  Client client(server, loop);
  EXPECT_EQ(run(loop, find_missing(client, {kFirst}, "")).error().code(), Code::kUnavailable);
}

}  // namespace
}  // namespace davit::kube
