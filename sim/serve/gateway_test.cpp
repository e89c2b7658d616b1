#include "sim/serve/gateway.hpp"

#include <gmock/gmock.h>

#include "sim/serve/discovery.hpp"
#include "sim/test_cluster.hpp"

namespace davit::sim {
namespace {

using ::testing::HasSubstr;

constexpr const char* kToken = "the-token";
constexpr const char* kTable = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
constexpr const char* kCrd = R"({"apiVersion": "apiextensions.k8s.io/v1",
  "kind": "CustomResourceDefinition", "metadata": {"name": "boats.port.org"},
  "spec": {"group": "port.org", "scope": "Namespaced",
    "names": {"kind": "Boat", "listKind": "BoatList", "plural": "boats", "singular": "boat",
              "shortNames": ["bt"], "categories": ["fleet"]},
    "versions": [{"name": "v1", "served": true, "storage": true, "subresources": {"status": {}},
      "additionalPrinterColumns": [{"name": "Mast", "type": "integer", "jsonPath": ".spec.masts"}],
      "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object",
        "properties": {"masts": {"type": "integer", "description": "How many."}}}}}}}]}})";

struct Reply {
  unsigned status = 0;
  std::string type, text;
  json::object body;  // if it is one
};

class GatewayTest : public ::testing::Test {
 protected:
  GatewayTest() : gateway(cluster.server, cluster.loop, kToken) {
    cluster.must(cluster.client.create(kube::kCustomResourceDefinitions, object_of(kCrd), kTester));
    cluster.settle();
  }

  static io::HttpRequest request(std::string method, std::string target, std::string accept = {},
                                 std::string body = {}, std::string type = "application/json") {
    io::HttpRequest made{std::move(method), std::move(target), {}, std::move(body)};
    made.headers = {{"Authorization", std::string("Bearer ") + kToken},
                    {"Content-Type", std::move(type)}};
    if (!accept.empty()) made.headers.emplace_back("Accept", std::move(accept));
    return made;
  }

  static io::Task<Reply> read_whole(Gateway& gateway, io::HttpRequest request) {
    io::StreamingResponse response = co_await gateway.answer(std::move(request));
    Reply reply{.status = response.status};
    reply.type = io::find_header(response.headers, "Content-Type").value_or("");
    while (true) {
      const auto piece = co_await response.body->read(io::Deadline::never());
      if (!piece || piece->empty()) break;
      reply.text += *piece;
    }
    if (auto body = wire::parse_json_object(reply.text)) reply.body = std::move(*body);
    co_return reply;
  }
  Reply ask(io::HttpRequest made) { return cluster.run(read_whole(gateway, std::move(made))); }
  Reply get(std::string target, std::string accept = {}) {
    return ask(request("GET", std::move(target), std::move(accept)));
  }
  Reply post(std::string target, std::string body, std::string type = "application/json") {
    return ask(request("POST", std::move(target), {}, std::move(body), std::move(type)));
  }
  void add_boat(const std::string& name, int masts) {
    const Reply made =
        post("/apis/port.org/v1/namespaces/default/boats",
             R"({"apiVersion": "port.org/v1", "kind": "Boat", "metadata": {"name": ")" + name +
                 R"("}, "spec": {"masts": )" + std::to_string(masts) + "}}");
    ASSERT_EQ(made.status, 201U) << made.text;
  }

  TestCluster cluster;
  Gateway gateway;
};

TEST_F(GatewayTest, AStrangerIsUnauthorized) {
  io::HttpRequest without = request("GET", "/api/v1/nodes");
  without.headers.clear();
  const Reply reply = ask(without);
  EXPECT_EQ(reply.status, 401U);
  EXPECT_EQ(reply.body.at("kind"), "Status");
  EXPECT_EQ(reply.body.at("reason"), "Unauthorized");
  without.headers = {{"Authorization", "Bearer the-tokeN"}};
  EXPECT_EQ(ask(without).status, 401U);
  EXPECT_EQ(get("/api/v1/nodes").status, 200U);
}

TEST_F(GatewayTest, ImpersonationIsRefusedAndNotIgnored) {
  io::HttpRequest as = request("GET", "/api/v1/nodes");
  as.headers.emplace_back("Impersonate-User", "bob");
  EXPECT_EQ(ask(as).status, 501U);
}

TEST_F(GatewayTest, RefusesAsTheRealServerDoes) {
  EXPECT_EQ(get("/api/v1/nothing").status, 404U);
  EXPECT_EQ(get("/api/v1/nodes", "application/vnd.kubernetes.protobuf").status, 406U);
  EXPECT_EQ(post("/api/v1/namespaces/default/configmaps", "\x6b\x38s",
                 "application/vnd.kubernetes.protobuf")
                .status,
            400U);
  EXPECT_EQ(ask(request("PATCH", "/api/v1/namespaces/default/configmaps/a", {}, "{}", "text/plain"))
                .status,
            415U);
  EXPECT_EQ(ask(request("POST", "/api/v1/namespaces/default/pods/a/exec")).status, 501U);
  EXPECT_EQ(ask(request("PUT", "/api/v1/namespaces/default/configmaps")).status, 405U);
}

TEST_F(GatewayTest, TablesOfACustomKind) {
  add_boat("kon-tiki", 1);
  const Reply reply = get("/apis/port.org/v1/boats?limit=500", kTable);
  ASSERT_EQ(reply.status, 200U);
  EXPECT_EQ(reply.body.at("kind"), "Table");
  EXPECT_EQ(reply.body.at("columnDefinitions").at(1).at("name"), "Mast");
  EXPECT_EQ(reply.body.at("rows").at(0).at("cells"), (json::value{"kon-tiki", 1}));
  EXPECT_EQ(reply.body.at("rows").at(0).at("object").at("metadata").at("namespace"), "default");
}

TEST_F(GatewayTest, AnErrorIsNoTable) {
  const Reply reply = get("/apis/port.org/v1/namespaces/default/boats/none", kTable);
  EXPECT_EQ(reply.status, 404U);
  EXPECT_EQ(reply.body.at("kind"), "Status");
}

TEST_F(GatewayTest, MetadataOnly) {
  add_boat("kon-tiki", 1);
  const Reply reply = get("/apis/port.org/v1/boats",
                          "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  EXPECT_EQ(reply.body.at("kind"), "PartialObjectMetadataList");
  EXPECT_EQ(reply.body.at("items").at(0).at("metadata").at("name"), "kon-tiki");
  EXPECT_FALSE(reply.body.at("items").at(0).as_object().contains("spec"));
}

TEST_F(GatewayTest, AWatchOfTablesHasHeadersOnce) {
  add_boat("ra", 1);
  std::vector<std::string> lines;
  io::Scope scope(cluster.loop);
  scope.spawn([](Gateway& gateway, std::vector<std::string>& lines) -> io::Task<void> {
    io::StreamingResponse response =
        co_await gateway.answer(request("GET", "/apis/port.org/v1/boats?watch=true", kTable));
    while (true) {
      auto piece = co_await response.body->read(io::Deadline::never());
      if (!piece || piece->empty()) co_return;
      lines.push_back(std::move(*piece));
    }
  }(gateway, lines));
  cluster.settle();
  add_boat("tigris", 2);
  cluster.settle();
  ASSERT_EQ(lines.size(), 2U);
  const json::object first = object_of(lines[0]);
  EXPECT_EQ(first.at("type"), "ADDED");
  EXPECT_EQ(first.at("object").at("rows").at(0).at("cells"), (json::value{"ra", 1}));
  EXPECT_EQ(first.at("object").at("columnDefinitions").as_array().size(), 2U);
  const json::object second = object_of(lines[1]);
  EXPECT_EQ(second.at("object").at("rows").at(0).at("cells"), (json::value{"tigris", 2}));
  EXPECT_TRUE(second.at("object").at("columnDefinitions").is_null());
}

TEST_F(GatewayTest, AWatchOutlivesHoursOfSimulatedTime) {
  bool ended = false;
  io::Scope scope(cluster.loop);
  scope.spawn([](Gateway& gateway, bool& ended) -> io::Task<void> {
    io::StreamingResponse response = co_await gateway.answer(
        request("GET", "/apis/port.org/v1/boats?watch=true&timeoutSeconds=30"));
    (void)co_await response.body->read(io::Deadline::never());
    ended = true;
  }(gateway, ended));
  cluster.settle(std::chrono::hours(100));
  EXPECT_FALSE(ended);
}

TEST_F(GatewayTest, BodiesMayBeYaml) {
  const Reply made = post("/api/v1/namespaces/default/configmaps",
                          "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  k: v\n",
                          "application/yaml");
  EXPECT_EQ(made.status, 201U) << made.text;
  EXPECT_EQ(made.body.at("data").at("k"), "v");
}

TEST_F(GatewayTest, CoreEventsAreTheStoredOnes) {
  const Reply made = post("/apis/events.k8s.io/v1/namespaces/default/events",
                          R"({"apiVersion": "events.k8s.io/v1", "kind": "Event",
      "metadata": {"name": "e1"}, "regarding": {"kind": "Boat", "name": "ra", "namespace": "default"},
      "note": "sails", "reason": "Sailing", "type": "Normal", "action": "Sail",
      "eventTime": "2026-01-01T00:00:00.000000Z", "reportingController": "davit",
      "reportingInstance": "davit-0"})");
  ASSERT_EQ(made.status, 201U) << made.text;
  const Reply all = get("/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dra");
  ASSERT_EQ(all.status, 200U) << all.text;
  ASSERT_EQ(all.body.at("items").as_array().size(), 1U);
  EXPECT_EQ(all.body.at("apiVersion"), "v1");
  EXPECT_EQ(all.body.at("items").at(0).at("message"), "sails");
  EXPECT_EQ(all.body.at("items").at(0).at("reportingComponent"), "davit");
  const Reply others = get("/api/v1/events?fieldSelector=involvedObject.name%3Dtigris");
  EXPECT_TRUE(others.body.at("items").as_array().empty());
  EXPECT_EQ(get("/api/v1/namespaces/default/events/e1").body.at("message"), "sails");
}

TEST_F(GatewayTest, ScalesAStatefulSet) {
  const Reply made = post("/apis/apps/v1/namespaces/default/statefulsets",
                          R"({"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata":
      {"name": "s"}, "spec": {"serviceName": "s", "replicas": 1, "selector": {"matchLabels":
      {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers":
      [{"name": "c", "image": "i"}]}}}})");
  ASSERT_EQ(made.status, 201U) << made.text;
  const std::string path = "/apis/apps/v1/namespaces/default/statefulsets/s/scale";
  Reply scale = get(path);
  EXPECT_EQ(scale.body.at("kind"), "Scale");
  EXPECT_EQ(scale.body.at("spec").at("replicas"), 1);
  EXPECT_EQ(scale.body.at("status").at("selector"), "a=b");
  scale = ask(
      request("PATCH", path, {}, R"({"spec": {"replicas": 3}})", "application/merge-patch+json"));
  EXPECT_EQ(scale.status, 200U) << scale.text;
  EXPECT_EQ(scale.body.at("spec").at("replicas"), 3);
  scale.body.at("spec").as_object()["replicas"] = 2;
  scale.body.at("metadata").as_object()["resourceVersion"] = "1";
  EXPECT_EQ(ask(request("PUT", path, {}, json::serialize(scale.body))).status, 409U);
}

TEST_F(GatewayTest, ReviewsOfOneself) {
  const Reply who =
      post("/apis/authentication.k8s.io/v1/selfsubjectreviews",
           R"({"kind": "SelfSubjectReview", "apiVersion": "authentication.k8s.io/v1"})");
  EXPECT_EQ(who.body.at("status").at("userInfo").at("username"), "system:admin");
  const Reply can = post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
                         R"({"kind": "SelfSubjectAccessReview", "apiVersion":
      "authorization.k8s.io/v1", "spec": {"resourceAttributes": {"verb": "create",
      "resource": "boats", "group": "port.org"}}})");
  EXPECT_EQ(can.status, 201U);
  EXPECT_EQ(can.body.at("status").at("allowed"), true);
}

TEST_F(GatewayTest, AggregatedDiscoveryNamesKindsAndSubresources) {
  const Reply reply = get("/apis", std::string(kAggregatedDiscovery) + ",application/json");
  EXPECT_EQ(reply.type, kAggregatedDiscovery);
  const json::object* boats = nullptr;
  for (const json::value& group : reply.body.at("items").as_array()) {
    if (group.at("metadata").at("name") != "port.org") continue;
    boats = &group.at("versions").at(0).at("resources").at(0).as_object();
  }
  ASSERT_NE(boats, nullptr) << reply.text;
  EXPECT_EQ(boats->at("shortNames"), (json::value{"bt"}));
  EXPECT_EQ(boats->at("categories"), (json::value{"fleet"}));
  EXPECT_EQ(boats->at("scope"), "Namespaced");
  EXPECT_EQ(boats->at("subresources").at(0).at("subresource"), "status");
  EXPECT_THAT(get("/api", std::string(kAggregatedDiscovery)).text, HasSubstr("\"events\""));
}

TEST_F(GatewayTest, TheOlderDiscoveryToo) {
  EXPECT_EQ(get("/api").body.at("versions"), (json::value{"v1"}));
  EXPECT_THAT(get("/apis").text, HasSubstr("port.org"));
  EXPECT_EQ(get("/apis/port.org").body.at("preferredVersion").at("groupVersion"), "port.org/v1");
  EXPECT_THAT(get("/apis/port.org/v1").text, HasSubstr("boats/status"));
  EXPECT_THAT(get("/apis/apps/v1").text, HasSubstr("statefulsets/scale"));
  EXPECT_EQ(get("/apis/none.org/v1").status, 404U);
}

TEST_F(GatewayTest, OpenApiHasTheSchemaAndTheParameters) {
  const Reply index = get("/openapi/v3");
  const std::string url(
      index.body.at("paths").at("apis/port.org/v1").at("serverRelativeURL").as_string());
  const Reply document = get(url);
  ASSERT_EQ(document.status, 200U);
  const json::value& schema = document.body.at("components").at("schemas").at("org.port.v1.Boat");
  EXPECT_EQ(schema.at_pointer("/properties/spec/properties/masts/description"), "How many.");
  EXPECT_EQ(schema.at_pointer("/x-kubernetes-group-version-kind/0/kind"), "Boat");
  const json::value& patch = document.body.at("paths")
                                 .at("/apis/port.org/v1/namespaces/{namespace}/boats/{name}")
                                 .at("patch");
  EXPECT_THAT(json::serialize(patch.at("parameters")), HasSubstr("fieldValidation"));
  EXPECT_EQ(get("/openapi/v3/apis/none.org/v1").status, 404U);
  EXPECT_EQ(get("/openapi/v2").status, 404U);
}

TEST_F(GatewayTest, OpenApiOfBuiltinKindsHasAllItRefersTo) {
  const Reply document = get("/openapi/v3/api/v1");
  ASSERT_EQ(document.status, 200U);
  const json::object& schemas = document.body.at("components").at("schemas").as_object();
  EXPECT_TRUE(schemas.contains("io.k8s.api.core.v1.Pod"));
  EXPECT_TRUE(schemas.contains("io.k8s.api.core.v1.Container"));
  std::string_view text = document.text;
  constexpr std::string_view kReference = "\"$ref\":\"#/components/schemas/";
  for (std::size_t at; (at = text.find(kReference)) != std::string_view::npos;) {
    text.remove_prefix(at + kReference.size());
    EXPECT_TRUE(schemas.contains(text.substr(0, text.find('"'))));
  }
}

TEST_F(GatewayTest, LogsAreCheckedAndCut) {
  cluster.server.set_pod_log([](const Route&) { return std::string("one\ntwo\nthree\n"); });
  ASSERT_EQ(post("/api/v1/namespaces/default/pods",
                 R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec":
      {"containers": [{"name": "a", "image": "i"}, {"name": "b", "image": "i"}]}})")
                .status,
            201U);
  const std::string log = "/api/v1/namespaces/default/pods/p/log";
  EXPECT_EQ(get(log + "?container=a").text, "one\ntwo\nthree\n");
  EXPECT_EQ(get(log + "?container=a&tailLines=2").text, "two\nthree\n");
  EXPECT_EQ(get(log + "?container=a&tailLines=0").text, "");
  EXPECT_THAT(get(log).text, HasSubstr("choose one of: [a b]"));
  EXPECT_EQ(get(log + "?container=c").status, 400U);
  EXPECT_EQ(get("/api/v1/namespaces/default/pods/q/log").status, 404U);
}

}  // namespace
}  // namespace davit::sim
