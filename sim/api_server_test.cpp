#include "sim/api_server.hpp"

#include <gmock/gmock.h>

#include "sim/test_cluster.hpp"

namespace davit::sim {
namespace {

using kube::kConfigMaps;
using kube::kPods;
using kube::kServices;
using kube::kStatefulSets;
using testing::HasSubstr;

const char* const kWidgetCrd = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.test.example"},
  "spec": {"group": "test.example", "scope": "Namespaced",
    "names": {"kind": "Widget", "plural": "widgets"},
    "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {
        "spec": {"type": "object", "required": ["size"], "properties": {
          "size": {"type": "integer", "minimum": 1, "maximum": 9},
          "color": {"type": "string", "enum": ["red", "blue"], "default": "red"},
          "parts": {"type": "array", "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["id"],
            "items": {"type": "object", "properties": {
              "id": {"type": "string"}, "weight": {"type": "integer"}}}}}},
        "status": {"type": "object", "properties": {"ready": {"type": "boolean"}}}}}}}]}})";

constexpr kube::Resource kWidgets{"test.example", "v1", "Widget", "widgets"};

json::object widget(const std::string& name, json::object spec) {
  return {{"apiVersion", "test.example/v1"},
          {"kind", "Widget"},
          {"metadata", json::object{{"name", name}, {"namespace", "default"}}},
          {"spec", std::move(spec)}};
}

json::object stateful_set(const std::string& name) {
  json::object set = object_of(R"({"apiVersion": "apps/v1", "kind": "StatefulSet",
    "metadata": {"namespace": "default"},
    "spec": {"serviceName": "a", "selector": {"matchLabels": {"app": "a"}},
      "template": {"metadata": {"labels": {"app": "a"}},
        "spec": {"containers": [{"name": "main", "image": "x:1"}]}}}})");
  set["metadata"].as_object()["name"] = name;
  return set;
}

TEST(ApiServer, GivesANewObjectItsIdentity) {
  TestCluster c;
  const json::object made = c.must(c.client.create(kConfigMaps, config_map("a"), kTester));
  EXPECT_FALSE(kube::uid_of(made).empty());
  EXPECT_FALSE(kube::version_of(made).empty());
  EXPECT_FALSE(wire::find_string(made, "metadata.creationTimestamp").empty());
  EXPECT_EQ(wire::find(made, "metadata.generation"), nullptr) << "a ConfigMap has none";
  EXPECT_EQ(c.must(c.client.get(kConfigMaps, {"default", "a"})), made);
}

TEST(ApiServer, RefusesASecondObjectOfTheName) {
  TestCluster c;
  c.must(c.client.create(kConfigMaps, config_map("a"), kTester));
  const auto again = c.run(c.client.create(kConfigMaps, config_map("a"), kTester));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code(), Code::kAlreadyExists);
  EXPECT_THAT(again.error().message(), HasSubstr("configmaps \"a\" already exists"));
}

TEST(ApiServer, NeedsTheNamespace) {
  TestCluster c;
  json::object lost = config_map("a");
  lost["metadata"].as_object()["namespace"] = "nowhere";
  const auto made = c.run(c.client.create(kConfigMaps, lost, kTester));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::kNotFound);
  EXPECT_THAT(made.error().message(), HasSubstr("namespaces \"nowhere\" not found"));
}

TEST(ApiServer, AnswersWithStatusBodiesOfTheServersShape) {
  TestCluster c;
  const auto response = c.run(c.server.send(
      {.target = "/apis/apps/v1/namespaces/default/statefulsets/a"}, io::Deadline::never()));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 404U);
  EXPECT_EQ(object_of(response->body), object_of(R"({"kind": "Status", "apiVersion": "v1",
    "metadata": {}, "status": "Failure", "message": "statefulsets.apps \"a\" not found",
    "reason": "NotFound", "code": 404,
    "details": {"name": "a", "group": "apps", "kind": "statefulsets"}})"));
}

TEST(ApiServer, RefusesAWriteOfAnOldVersion) {
  TestCluster c;
  json::object first = c.must(c.client.create(kConfigMaps, config_map("a"), kTester));
  json::object next = first;
  next["data"] = json::object{{"key", "y"}};
  c.must(c.client.replace(kConfigMaps, next, kTester));
  first["data"] = json::object{{"key", "z"}};
  const auto late = c.run(c.client.replace(kConfigMaps, first, kTester));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code(), Code::kConflict);
  EXPECT_THAT(late.error().message(), HasSubstr("the object has been modified"));
}

TEST(ApiServer, AWriteThatChangesNothingKeepsTheVersion) {
  TestCluster c;
  const json::object made = c.must(c.client.create(kConfigMaps, config_map("a"), kTester));
  const Version before = c.server.store().version();
  c.settle(std::chrono::minutes(1));
  EXPECT_EQ(c.must(c.client.replace(kConfigMaps, made, kTester)), made);
  EXPECT_EQ(c.server.store().version(), before);
}

TEST(ApiServer, CountsGenerationsOfTheSpecificationOnly) {
  TestCluster c;
  json::object set = c.must(c.client.create(kStatefulSets, stateful_set("a"), kTester));
  EXPECT_EQ(kube::generation_of(set), 1);
  set["metadata"].as_object()["labels"] = json::object{{"a", "b"}};
  set = c.must(c.client.replace(kStatefulSets, set, kTester));
  EXPECT_EQ(kube::generation_of(set), 1);
  set["spec"].as_object()["replicas"] = 3;
  set = c.must(c.client.replace(kStatefulSets, set, kTester));
  EXPECT_EQ(kube::generation_of(set), 2);
  set["status"] = json::object{{"readyReplicas", 1}};
  set = c.must(c.client.replace_status(kStatefulSets, set, kTester));
  EXPECT_EQ(kube::generation_of(set), 2);
  EXPECT_EQ(wire::find_int(set, "status.readyReplicas"), 1);
}

TEST(ApiServer, KeepsStatusAndSpecificationApart) {
  TestCluster c;
  json::object set = c.must(c.client.create(kStatefulSets, stateful_set("a"), kTester));
  set["status"] = json::object{{"replicas", 7}};
  set = c.must(c.client.replace(kStatefulSets, set, kTester));
  EXPECT_EQ(wire::find_int(set, "status.replicas"), 0);
  set["status"] = json::object{{"replicas", 7}};
  set["spec"].as_object()["replicas"] = 5;
  set["metadata"].as_object()["labels"] = json::object{{"a", "b"}};
  set = c.must(c.client.replace_status(kStatefulSets, set, kTester));
  EXPECT_EQ(wire::find_int(set, "status.replicas"), 7);
  EXPECT_EQ(wire::find_int(set, "spec.replicas"), 1);
  // The status of a built-in kind lets metadata pass.
  EXPECT_EQ(wire::find_string(set, "metadata.labels.a"), "b");
}

TEST(ApiServer, PagesShowOneSnapshot) {
  TestCluster c;
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    c.must(c.client.create(kConfigMaps, config_map(name), kTester));
  }
  auto page = c.run(c.client.list(kConfigMaps, "default", {.limit = 2}));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->items.size(), 2U);
  ASSERT_TRUE(c.run(c.client.remove(kConfigMaps, {"default", "d"})));
  c.must(c.client.create(kConfigMaps, config_map("cc"), kTester));
  std::vector<std::string> names;
  while (!page->continue_token.empty()) {
    const std::string token = page->continue_token;
    page = c.run(c.client.list(kConfigMaps, "default", {.limit = 2, .continue_token = token}));
    ASSERT_TRUE(page);
    for (const json::object& item : page->items) names.push_back(kube::key_of(item).name);
  }
  EXPECT_THAT(names, testing::ElementsAre("c", "d", "e"));
}

TEST(ApiServer, APageWhoseSnapshotIsCompactedIsGone) {
  TestCluster c;
  for (const char* name : {"a", "b", "c"}) {
    c.must(c.client.create(kConfigMaps, config_map(name), kTester));
  }
  const auto page = c.run(c.client.list(kConfigMaps, "default", {.limit = 1}));
  c.must(c.client.create(kConfigMaps, config_map("d"), kTester));
  c.server.store().compact();
  const auto next = c.run(
      c.client.list(kConfigMaps, "default", {.limit = 1, .continue_token = page->continue_token}));
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code(), Code::kGone);
}

TEST(ApiServer, ListsBySelectors) {
  TestCluster c;
  json::object labelled = config_map("a");
  labelled["metadata"].as_object()["labels"] = json::object{{"tier", "1"}, {"app", "x"}};
  c.must(c.client.create(kConfigMaps, labelled, kTester));
  c.must(c.client.create(kConfigMaps, config_map("b"), kTester));
  const auto count = [&](std::string labels, std::string fields = {}) {
    auto list = c.run(
        c.client.list(kConfigMaps, "",
                      {.label_selector = std::move(labels), .field_selector = std::move(fields)}));
    return list ? list->items.size() : 99U;
  };
  EXPECT_EQ(count("tier=1"), 1U);
  EXPECT_EQ(count("tier in (1,2),app"), 1U);
  EXPECT_EQ(count("tier!=1"), 1U);
  EXPECT_EQ(count("!tier"), 1U);
  EXPECT_EQ(count("tier notin (1)"), 1U);
  EXPECT_EQ(count("", "metadata.name=b"), 1U);
  EXPECT_EQ(count("", "metadata.namespace=default,metadata.name!=b"), 1U);
}

TEST(ApiServer, PatchesByMergeAndByOperations) {
  TestCluster c;
  c.must(c.client.create(kConfigMaps, config_map("a"), kTester));
  const ObjectKey key{"default", "a"};
  json::object patched =
      c.must(c.client.patch(kConfigMaps, key, kube::PatchType::kMerge,
                            object_of(R"({"data": {"key": null, "b": "2"}})"), kTester));
  EXPECT_EQ(patched["data"], json::value(json::object{{"b", "2"}}));
  json::array operations{object_of(R"({"op": "test", "path": "/data/b", "value": "2"})"),
                         object_of(R"({"op": "add", "path": "/data/c~1d", "value": "3"})")};
  patched = c.must(c.client.patch(kConfigMaps, key, kube::PatchType::kJson, operations, kTester));
  EXPECT_EQ(patched["data"], json::value(json::object({{"b", "2"}, {"c/d", "3"}})));
  json::array failing{object_of(R"({"op": "test", "path": "/data/b", "value": "9"})")};
  EXPECT_FALSE(c.run(c.client.patch(kConfigMaps, key, kube::PatchType::kJson, failing, kTester)));
}

TEST(ApiServer, AStrategicPatchMergesContainersByName) {
  TestCluster c;
  c.must(c.client.create(kStatefulSets, stateful_set("a"), kTester));
  const json::object patched = c.must(
      c.client.patch(kStatefulSets, {"default", "a"}, kube::PatchType::kStrategicMerge,
                     object_of(R"({"spec": {"template": {"spec": {"containers": [{"name": "main",
        "env": [{"name": "A", "value": "1"}]}]}}}})"),
                     kTester));
  const json::array* containers = wire::find_array(patched, "spec.template.spec.containers");
  ASSERT_EQ(containers->size(), 1U);
  EXPECT_EQ(wire::find_string((*containers)[0].as_object(), "image"), "x:1");
  EXPECT_EQ(wire::find_array((*containers)[0].as_object(), "env")->size(), 1U);
}

TEST(ApiServer, DeletesOnlyWhatThePreconditionsName) {
  TestCluster c;
  const json::object made = c.must(c.client.create(kConfigMaps, config_map("a"), kTester));
  const ObjectKey key{"default", "a"};
  auto refused = c.run(c.client.remove(kConfigMaps, key, {.preconditions = {.uid = Uid("other")}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kConflict);
  refused = c.run(
      c.client.remove(kConfigMaps, key, {.preconditions = {.version = ResourceVersion("1")}}));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kConflict);
  EXPECT_TRUE(c.run(c.client.remove(
      kConfigMaps, key,
      {.preconditions = {.uid = kube::uid_of(made), .version = kube::version_of(made)}})));
  EXPECT_EQ(c.server.find(kConfigMaps, key), nullptr);
}

TEST(ApiServer, FinalizersHoldADeletedObject) {
  TestCluster c;
  json::object held = config_map("a");
  held["metadata"].as_object()["finalizers"] = json::array{"test/hold"};
  c.must(c.client.create(kConfigMaps, held, kTester));
  const ObjectKey key{"default", "a"};
  EXPECT_TRUE(c.run(c.client.remove(kConfigMaps, key)));
  json::object going = c.must(c.client.get(kConfigMaps, key));
  EXPECT_TRUE(kube::is_deleting(going));
  json::object more = going;
  more["metadata"].as_object()["finalizers"] = json::array{"test/hold", "test/more"};
  EXPECT_FALSE(c.run(c.client.replace(kConfigMaps, more, kTester)));
  going["metadata"].as_object().erase("finalizers");
  EXPECT_TRUE(c.run(c.client.replace(kConfigMaps, going, kTester)));
  EXPECT_EQ(c.server.find(kConfigMaps, key), nullptr);
}

TEST(ApiServer, AStatefulSetsFormIsImmutable) {
  TestCluster c;
  json::object set = c.must(c.client.create(kStatefulSets, stateful_set("a"), kTester));
  set["spec"].as_object()["serviceName"] = "other";
  const auto changed = c.run(c.client.replace(kStatefulSets, set, kTester));
  ASSERT_FALSE(changed);
  EXPECT_EQ(changed.error().code(), Code::kInvalid);
  EXPECT_THAT(changed.error().message(), HasSubstr("updates to statefulset spec"));
}

TEST(ApiServer, FillsInDefaultsAndCanonicalQuantities) {
  TestCluster c;
  json::object set = stateful_set("a");
  set["spec"].as_object()["template"].as_object()["spec"] = object_of(R"({"containers": [
    {"name": "main", "image": "x:1", "ports": [{"containerPort": 80}],
     "resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}}]})");
  const json::object made = c.must(c.client.create(kStatefulSets, set, kTester));
  const json::object& container =
      (*wire::find_array(made, "spec.template.spec.containers"))[0].as_object();
  EXPECT_EQ(wire::find_string(container, "resources.limits.cpu"), "1");
  EXPECT_EQ(wire::find_string(container, "resources.requests.memory"), "1Gi");
  EXPECT_EQ(wire::find_string(container, "imagePullPolicy"), "IfNotPresent");
  EXPECT_EQ(wire::find_string((*wire::find_array(container, "ports"))[0].as_object(), "protocol"),
            "TCP");
  EXPECT_EQ(wire::find_int(made, "spec.replicas"), 1);
}

TEST(ApiServer, ServesACustomKindFromItsCrd) {
  TestCluster c;
  c.must(c.client.create(kube::kCustomResourceDefinitions, object_of(kWidgetCrd), kTester));
  c.settle();
  const json::object made = c.must(c.client.create(kWidgets, widget("a", {{"size", 3}}), kTester));
  EXPECT_EQ(wire::find_string(made, "spec.color"), "red");
  const auto bad = [&](json::object spec) {
    const auto refused = c.run(c.client.create(kWidgets, widget("b", std::move(spec)), kTester));
    return refused ? std::string("accepted") : refused.error().message();
  };
  EXPECT_THAT(bad({{"size", 10}}), HasSubstr("should be less than or equal to 9"));
  EXPECT_THAT(bad({}), HasSubstr("spec.size: Required value"));
  EXPECT_THAT(bad({{"size", "x"}}), HasSubstr("must be of type integer"));
  EXPECT_THAT(bad({{"size", 1}, {"color", "green"}}), HasSubstr("Unsupported value"));
  EXPECT_THAT(bad({{"size", 1}, {"shape", "round"}}), HasSubstr("unknown field \"spec.shape\""));
  ASSERT_TRUE(
      c.run(c.client.remove(kube::kCustomResourceDefinitions, {"", "widgets.test.example"})));
  c.settle();
  const auto after = c.run(c.client.get(kWidgets, {"default", "a"}));
  ASSERT_FALSE(after);
  EXPECT_EQ(after.error().code(), Code::kNotFound);
}

TEST(ApiServer, EnforcesAccessTables) {
  TestCluster c;
  static constexpr kube::Access kTable[] = {
      {kConfigMaps, "", kube::Verb::kGet | kube::Verb::kCreate, "test", ""}};
  c.server.access().allow("davit", kTable);
  kube::Client davit(c.server.as("davit"), c.loop);
  EXPECT_TRUE(c.run(davit.create(kConfigMaps, config_map("a"), kTester)));
  const auto listed = c.run(davit.list(kConfigMaps, "default"));
  ASSERT_FALSE(listed);
  EXPECT_EQ(listed.error().code(), Code::kForbidden);
  EXPECT_EQ(listed.error().message(),
            "configmaps is forbidden: User \"davit\" cannot list resource \"configmaps\" in API "
            "group \"\" in the namespace \"default\"");
  static constexpr kube::Access kWanted[] = {
      {kConfigMaps, "", kube::Verb::kGet | kube::Verb::kDelete, "test", ""}};
  const auto missing = c.run(kube::find_missing(davit, {kWanted}, "default"));
  ASSERT_TRUE(missing);
  ASSERT_EQ(missing->size(), 1U);
  EXPECT_EQ(missing->front().verb, "delete");
}

TEST(ApiServer, ALostReplyHasItsEffect) {
  TestCluster c;
  c.server.set_faults([](const RequestInfo& request) {
    return request.verb == "create" ? Fault{.lose_reply = Error(Code::kUnavailable, "reset")}
                                    : Fault{};
  });
  const auto made = c.run(c.client.create(kConfigMaps, config_map("a"), kTester));
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code(), Code::kUnavailable);
  EXPECT_NE(c.server.find(kConfigMaps, {"default", "a"}), nullptr);
}

TEST(ApiServer, ARefusedRequestHasNone) {
  TestCluster c;
  c.server.set_faults(
      [](const RequestInfo&) { return Fault{.refuse = io::HttpResponse{500, {}, "{}"}}; });
  EXPECT_FALSE(c.run(c.client.create(kConfigMaps, config_map("a"), kTester)));
  EXPECT_EQ(c.server.find(kConfigMaps, {"default", "a"}), nullptr);
}

TEST(ApiServer, LogsWhoAskedWhat) {
  TestCluster c;
  c.must(c.client.create(kConfigMaps, config_map("a"), kTester));
  c.must(c.client.get(kConfigMaps, {"default", "a"}));
  ASSERT_EQ(c.server.log().size(), 2U);
  const RequestInfo& first = c.server.log().front();
  EXPECT_EQ(first.user, "tester");
  EXPECT_EQ(first.verb, "create");
  EXPECT_EQ(first.resource, "configmaps");
  EXPECT_EQ(first.status, 201U);
  EXPECT_GT(first.body_size, 20U);
  EXPECT_EQ(c.server.writes(), 1U);
  EXPECT_EQ(c.server.writes("somebody else"), 0U);
}

TEST(ApiServer, ADryRunChangesNothing) {
  TestCluster c;
  const auto applied =
      c.run(c.client.apply(kConfigMaps, config_map("a"), {.manager = kTester, .dry_run = true}));
  ASSERT_TRUE(applied);
  EXPECT_EQ(c.server.find(kConfigMaps, {"default", "a"}), nullptr);
}

TEST(ApiServer, MakesNamesFromGenerateName) {
  TestCluster c;
  const auto response = c.run(c.server.send(
      {.method = "POST",
       .target = "/api/v1/namespaces/default/configmaps",
       .body =
           R"({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "run-"}})"},
      io::Deadline::never()));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 201U);
  const std::string name = kube::key_of(object_of(response->body)).name;
  EXPECT_TRUE(name.starts_with("run-"));
  EXPECT_EQ(name.size(), 9U);
}

TEST(ApiServer, AServicesAddressMayNotChange) {
  TestCluster c;
  json::object service =
      c.must(c.client.create(kServices, object_of(R"({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": "a", "namespace": "default"},
        "spec": {"clusterIP": "None", "selector": {"app": "a"}}})"),
                             kTester));
  service["spec"].as_object()["clusterIP"] = "10.0.0.1";
  EXPECT_FALSE(c.run(c.client.replace(kServices, service, kTester)));
}

TEST(ApiServer, OneSeedGivesOneHistory) {
  const auto uid = [](std::uint64_t seed) {
    TestCluster c(seed);
    return kube::uid_of(c.must(c.client.create(kConfigMaps, config_map("a"), kTester)));
  };
  EXPECT_EQ(uid(7), uid(7));
  EXPECT_NE(uid(7), uid(8));
}

}  // namespace
}  // namespace davit::sim
