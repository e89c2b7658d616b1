#include "kube/request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace davit::kube {
namespace {

const FieldManager kManager("davit");
constexpr Resource kBlockNodes{"davit.hiero.org", "v1alpha1", "BlockNode", "blocknodes"};

json::object config_map() {
  return wire::parse_json_object(
             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"n","name":"a"}})")
      .value();
}

TEST(Request, PathsOfCoreAndGroupedNamespacedAndClusterResources) {
  EXPECT_EQ(get_request(kPods, {"n", "a"})->target, "/api/v1/namespaces/n/pods/a");
  EXPECT_EQ(get_request(kNodes, {"", "a"})->target, "/api/v1/nodes/a");
  EXPECT_EQ(get_request(kBlockNodes, {"n", "a"})->target,
            "/apis/davit.hiero.org/v1alpha1/namespaces/n/blocknodes/a");
  EXPECT_EQ(get_request(kStorageClasses, {"", "a"})->target,
            "/apis/storage.k8s.io/v1/storageclasses/a");
  EXPECT_EQ(collection_path(kPods, "").value(), "/api/v1/pods");
  EXPECT_EQ(object_path(kPods, {"n", "a"}, "status").value(), "/api/v1/namespaces/n/pods/a/status");
}

TEST(Request, NamesOfMaximalLengthWork) {
  const std::string name = std::string(63, 'a') + "." + std::string(63, 'b') + "." +
                           std::string(63, 'c') + "." + std::string(61, 'd');
  const std::string ns(63, 'n');
  ASSERT_EQ(name.size(), 253U);
  EXPECT_EQ(get_request(kConfigMaps, {ns, name})->target,
            "/api/v1/namespaces/" + ns + "/configmaps/" + name);
}

TEST(Request, NamesAreEncodedAndCannotLeaveTheirPath) {
  // RBAC objects have names with colons.
  constexpr Resource kRoles{"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles",
                            false};
  EXPECT_EQ(get_request(kRoles, {"", "system:node?x=1#y"})->target,
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode%3Fx%3D1%23y");
  for (const std::string name : {"", ".", "..", "a/b", "../x", "a%2fb", "a\nb", "a\r"}) {
    EXPECT_EQ(get_request(kPods, {"n", name}).error().code(), Code::kInvalid) << name;
    if (!name.empty()) EXPECT_FALSE(get_request(kPods, {name, "a"})) << name;
  }
  EXPECT_FALSE(get_request(kPods, {"n", std::string("a\0", 2)}));
  EXPECT_FALSE(get_request(kPods, {"", "a"}));
}

TEST(Request, ListsWithTypedOptions) {
  EXPECT_EQ(list_request(kPods, "n", {})->target, "/api/v1/namespaces/n/pods?limit=500");
  ListOptions options;
  options.label_selector = "a in (b,c)";
  options.field_selector = "spec.nodeName=x";
  options.resource_version = "123456789012345678901234567890";
  options.resource_version_match = "NotOlderThan";
  options.limit = 0;
  EXPECT_EQ(list_request(kPods, "", options)->target,
            "/api/v1/pods?labelSelector=a%20in%20%28b%2Cc%29&fieldSelector=spec.nodeName%3Dx"
            "&resourceVersion=123456789012345678901234567890&resourceVersionMatch=NotOlderThan");
}

TEST(Request, ContinuedListsLeaveTheVersionToTheToken) {
  ListOptions options;
  options.resource_version = "5";
  options.resource_version_match = "Exact";
  options.continue_token = "a/b+c=";
  EXPECT_EQ(list_request(kPods, "", options)->target,
            "/api/v1/pods?limit=500&continue=a%2Fb%2Bc%3D");
}

TEST(Request, Watches) {
  WatchOptions options;
  options.version = ResourceVersion("7");
  EXPECT_EQ(watch_request(kPods, "n", options)->target,
            "/api/v1/namespaces/n/pods?watch=1&resourceVersion=7&allowWatchBookmarks=true"
            "&timeoutSeconds=290");
}

TEST(Request, AppliesServerSideAndStrictly) {
  json::object object = config_map();
  wire::ensure_object(object, "metadata")["managedFields"] = json::array{1};
  ApplyOptions options;
  options.manager = kManager;
  auto request = apply_request(kConfigMaps, object, options).value();
  EXPECT_EQ(request.method, "PATCH");
  EXPECT_EQ(request.target,
            "/api/v1/namespaces/n/configmaps/a?fieldManager=davit&fieldValidation=Strict");
  EXPECT_EQ(io::find_header(request.headers, "Content-Type"), "application/apply-patch+yaml");
  EXPECT_EQ(wire::parse_json_object(request.body).value(), config_map());
  options.force = options.dry_run = options.status = true;
  EXPECT_EQ(apply_request(kConfigMaps, object, options)->target,
            "/api/v1/namespaces/n/configmaps/a/status?fieldManager=davit&fieldValidation=Strict"
            "&force=true&dryRun=All");
}

TEST(Request, WritesNeedAManagerAndAnObjectOfThatKind) {
  EXPECT_FALSE(apply_request(kConfigMaps, config_map(), {}));
  EXPECT_FALSE(create_request(kSecrets, config_map(), kManager));
  EXPECT_FALSE(replace_request(kConfigMaps, config_map(), FieldManager()));
  json::object object = config_map();
  object.erase("apiVersion");
  EXPECT_FALSE(create_request(kConfigMaps, object, kManager));
}

TEST(Request, CreatesAndReplaces) {
  auto create = create_request(kConfigMaps, config_map(), kManager).value();
  EXPECT_EQ(create.method, "POST");
  EXPECT_EQ(create.target,
            "/api/v1/namespaces/n/configmaps?fieldManager=davit&fieldValidation=Strict");
  auto replace = replace_request(kConfigMaps, config_map(), kManager, "status").value();
  EXPECT_EQ(replace.method, "PUT");
  EXPECT_EQ(replace.target, "/api/v1/namespaces/n/configmaps/a/status?fieldManager=davit");
}

TEST(Request, PatchesOfEachKind) {
  const std::pair<PatchType, std::string_view> kTypes[] = {
      {PatchType::kMerge, "application/merge-patch+json"},
      {PatchType::kJson, "application/json-patch+json"},
      {PatchType::kStrategicMerge, "application/strategic-merge-patch+json"}};
  for (const auto& [type, content] : kTypes) {
    auto request = patch_request(kPods, {"n", "a"}, type, json::array{}, kManager).value();
    EXPECT_EQ(io::find_header(request.headers, "content-type"), content);
    EXPECT_EQ(request.body, "[]");
  }
}

TEST(Request, DeletesWithPreconditions) {
  DeleteOptions options;
  options.preconditions = {Uid("u"), ResourceVersion("7")};
  options.propagation = Propagation::kForeground;
  options.grace_seconds = 0;
  auto request = delete_request(kPods, {"n", "a"}, options).value();
  EXPECT_EQ(request.method, "DELETE");
  EXPECT_EQ(wire::parse_json(request.body).value(), wire::parse_json(R"({"apiVersion":"v1",
      "kind":"DeleteOptions","propagationPolicy":"Foreground","gracePeriodSeconds":0,
      "preconditions":{"uid":"u","resourceVersion":"7"}})")
                                                        .value());
  const auto plain = wire::parse_json(delete_request(kPods, {"n", "a"}, {})->body).value();
  EXPECT_FALSE(plain.as_object().contains("preconditions"));
}

TEST(Request, RawTargetsCannotSmuggle) {
  EXPECT_TRUE(raw_request("GET", "/version", ""));
  for (const std::string target : {"", "version", "/a b", "/a\r\nHost: x", "/\xff"}) {
    EXPECT_FALSE(raw_request("GET", target, "")) << target;
  }
}

}  // namespace
}  // namespace davit::kube
