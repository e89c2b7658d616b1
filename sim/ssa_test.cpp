#include "sim/ssa.hpp"

#include <gmock/gmock.h>

#include "sim/test_cluster.hpp"

namespace davit::sim {
namespace {

using kube::kConfigMaps;
using kube::kServices;
using kube::kStatefulSets;
using testing::HasSubstr;

const FieldManager kA("a"), kB("b");

json::object data(const char* members) {
  json::object object = config_map("x");
  object["data"] = object_of(members);
  return object;
}

json::object service(const char* ports) {
  json::object object = object_of(R"({"apiVersion": "v1", "kind": "Service",
    "metadata": {"name": "x", "namespace": "default"}, "spec": {"selector": {"app": "x"}}})");
  object["spec"].as_object()["ports"] = json::parse(ports);
  return object;
}

// The fields `manager` owns, as FieldsV1.
json::object owned(const json::object& object, std::string_view manager) {
  for (const ManagedEntry& entry : decode_managed_fields(object)) {
    if (entry.writer.manager == manager) return encode_fields(entry.fields());
  }
  return {};
}

TEST(ServerSideApply, CreatesAndClaimsWhatItNames) {
  TestCluster c;
  const json::object made =
      c.must(c.client.apply(kConfigMaps, data(R"({"k": "1"})"), {.manager = kA}));
  EXPECT_EQ(owned(made, "a"), object_of(R"({"f:data": {"f:k": {}}})"));
  const json::array& fields = *wire::find_array(made, "metadata.managedFields");
  EXPECT_EQ(wire::find_string(fields[0].as_object(), "operation"), "Apply");
  EXPECT_EQ(wire::find_string(fields[0].as_object(), "apiVersion"), "v1");
}

TEST(ServerSideApply, AnotherManagersFieldIsAConflictThatNamesIt) {
  TestCluster c;
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1", "other": "1"})"), {.manager = kA}));
  const auto refused = c.run(c.client.apply(kConfigMaps, data(R"({"k": "2"})"), {.manager = kB}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kConflict);
  EXPECT_EQ(refused.error().message(),
            "Apply failed with 1 conflict: conflict with \"a\": .data.k");
}

TEST(ServerSideApply, ForceTakesOwnership) {
  TestCluster c;
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1", "other": "1"})"), {.manager = kA}));
  const json::object forced =
      c.must(c.client.apply(kConfigMaps, data(R"({"k": "2"})"), {.manager = kB, .force = true}));
  EXPECT_EQ(wire::find_string(forced, "data.k"), "2");
  EXPECT_EQ(owned(forced, "a"), object_of(R"({"f:data": {"f:other": {}}})"));
  EXPECT_EQ(owned(forced, "b"), object_of(R"({"f:data": {"f:k": {}}})"));
}

TEST(ServerSideApply, TheSameValueIsSharedAndStaysUntilBothLetGo) {
  TestCluster c;
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1"})"), {.manager = kA}));
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1"})"), {.manager = kB}));
  json::object now = c.must(c.client.apply(kConfigMaps, data(R"({})"), {.manager = kA}));
  EXPECT_EQ(wire::find_string(now, "data.k"), "1");
  now = c.must(c.client.apply(kConfigMaps, data(R"({})"), {.manager = kB}));
  EXPECT_EQ(wire::find(now, "data.k"), nullptr);
}

TEST(ServerSideApply, AFieldNoLongerNamedGoes) {
  TestCluster c;
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1", "gone": "1"})"), {.manager = kA}));
  const json::object now =
      c.must(c.client.apply(kConfigMaps, data(R"({"k": "1"})"), {.manager = kA}));
  EXPECT_EQ(wire::find(now, "data.gone"), nullptr);
  EXPECT_EQ(wire::find_string(now, "data.k"), "1");
}

TEST(ServerSideApply, AnUpdateTakesWhatItChangesAndNothingElse) {
  TestCluster c;
  json::object object =
      c.must(c.client.apply(kConfigMaps, data(R"({"k": "1", "other": "1"})"), {.manager = kA}));
  object["data"].as_object()["k"] = "user";
  object = c.must(c.client.replace(kConfigMaps, object, kB));
  EXPECT_EQ(owned(object, "a"), object_of(R"({"f:data": {"f:other": {}}})"));
  EXPECT_EQ(owned(object, "b"), object_of(R"({"f:data": {"f:k": {}}})"));
  const auto again =
      c.run(c.client.apply(kConfigMaps, data(R"({"k": "1", "other": "1"})"), {.manager = kA}));
  EXPECT_FALSE(again) << "the user's edit must not be overwritten silently";
}

TEST(ServerSideApply, TheSameConfigurationAgainWritesNothing) {
  TestCluster c;
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1"})"), {.manager = kA}));
  const Version before = c.server.store().version();
  c.settle(std::chrono::minutes(1));
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1"})"), {.manager = kA}));
  EXPECT_EQ(c.server.store().version(), before);
}

TEST(ServerSideApply, KeyedListsMergeByKey) {
  TestCluster c;
  c.must(c.client.apply(kServices, service(R"([{"name": "one", "port": 1}])"), {.manager = kA}));
  json::object both = c.must(
      c.client.apply(kServices, service(R"([{"name": "two", "port": 2}])"), {.manager = kB}));
  EXPECT_EQ(wire::find_array(both, "spec.ports")->size(), 2U);
  EXPECT_EQ(wire::find_object(owned(both, "b"), "f:spec.f:ports")->size(), 1U);
  both = c.must(c.client.apply(kServices, service("[]"), {.manager = kA}));
  const json::array& ports = *wire::find_array(both, "spec.ports");
  ASSERT_EQ(ports.size(), 1U) << "a's port went, b's stays";
  EXPECT_EQ(wire::find_string(ports[0].as_object(), "name"), "two");
}

TEST(ServerSideApply, AtomicListsChangeHandsWhole) {
  TestCluster c;
  const auto set = [](const char* args) {
    json::object object = object_of(R"({"apiVersion": "apps/v1", "kind": "StatefulSet",
      "metadata": {"name": "x", "namespace": "default"}, "spec": {"template": {"spec": {
        "containers": [{"name": "main"}]}}}})");
    object.at("spec").at("template").at("spec").at("containers").at(0).as_object()["args"] =
        json::parse(args);
    return object;
  };
  c.must(c.client.apply(kStatefulSets, set(R"(["a", "b"])"), {.manager = kA}));
  const auto refused =
      c.run(c.client.apply(kStatefulSets, set(R"(["a", "b", "c"])"), {.manager = kB}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message(),
              HasSubstr(".spec.template.spec.containers[name=\"main\"].args"));
}

TEST(ServerSideApply, DefaultsBelongToNobody) {
  TestCluster c;
  const json::object made =
      c.must(c.client.apply(kServices, service(R"([{"port": 1}])"), {.manager = kA}));
  EXPECT_EQ(wire::find_string(made, "spec.type"), "ClusterIP");
  EXPECT_EQ(wire::find(owned(made, "a"), "f:spec.f:type"), nullptr);
  EXPECT_NE(owned(made, "a").at("f:spec").at("f:ports").as_object().if_contains(
                R"(k:{"port":1,"protocol":"TCP"})"),
            nullptr);
}

TEST(ServerSideApply, StatusAndSpecificationHaveOwnersOfTheirOwn) {
  TestCluster c;
  json::object set = object_of(R"({"apiVersion": "apps/v1", "kind": "StatefulSet",
    "metadata": {"name": "x", "namespace": "default"}, "spec": {"replicas": 2},
    "status": {"replicas": 9}})");
  json::object made = c.must(c.client.apply(kStatefulSets, set, {.manager = kA}));
  EXPECT_EQ(wire::find_int(made, "status.replicas"), 0);
  made = c.must(c.client.apply(kStatefulSets, set, {.manager = kA, .status = true}));
  EXPECT_EQ(wire::find_int(made, "status.replicas"), 9);
  EXPECT_EQ(decode_managed_fields(made).size(), 2U);
  made = c.must(c.client.apply(kStatefulSets, set, {.manager = kA}));
  EXPECT_EQ(wire::find_int(made, "status.replicas"), 9);
}

TEST(ServerSideApply, AUidIsAPrecondition) {
  TestCluster c;
  json::object config = data(R"({"k": "1"})");
  config["metadata"].as_object()["uid"] = "0000";
  auto refused = c.run(c.client.apply(kConfigMaps, config, {.manager = kA, .force = true}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kConflict);
  EXPECT_THAT(refused.error().message(), HasSubstr("no existing object was found"));
  c.must(c.client.apply(kConfigMaps, data(R"({"k": "1"})"), {.manager = kA}));
  refused = c.run(c.client.apply(kConfigMaps, config, {.manager = kA, .force = true}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kInvalid) << "the uid is immutable";
}

TEST(FieldSet, SurvivesItsEncoding) {
  const FieldSet fields = {{"f:spec", "f:ports", "k:{\"port\":1}"},
                           {"f:spec", "f:ports", "k:{\"port\":1}", "f:port"},
                           {"f:metadata", "f:finalizers", "v:\"x\""},
                           {"f:data"}};
  EXPECT_EQ(decode_fields(encode_fields(fields)), fields);
}

TEST(FieldSet, AnUpdateLeavesTheMarksTheServerLeaves) {
  TestCluster c;
  const json::object made = c.must(c.client.create(kConfigMaps, data(R"({"k": "1"})"), kA));
  EXPECT_EQ(owned(made, "a"), object_of(R"({"f:data": {".": {}, "f:k": {}}})"));
}

}  // namespace
}  // namespace davit::sim
