#include "sim/controllers/cluster.hpp"

#include <gmock/gmock.h>

#include "sim/test_cluster.hpp"

namespace davit::sim {
namespace {

using kube::kPersistentVolumeClaims;
using kube::kPersistentVolumes;
using kube::kPods;
using kube::kStatefulSets;
using std::chrono::minutes;
using std::chrono::seconds;

const ObjectKey kPod{"default", "s-0"};
const ObjectKey kSet{"default", "s"};
const ObjectKey kClaim{"default", "disk"};

// All containers do the same.
struct Script final : ContainerRuntime {
  bool answers = true;
  bool heeds = true;
  void start(const ContainerRef& /*container*/) override {}
  ContainerLook look(const ContainerRef& /*container*/) override { return {}; }
  bool probe(const ContainerRef& /*container*/, const json::object& /*probe*/) override {
    return answers;
  }
  bool terminate(const ContainerRef& /*container*/) override { return heeds; }
  void kill(const ContainerRef& /*container*/) override {}
};

struct Bench : TestCluster {
  Script script;
  Cluster cluster{loop, server};

  Bench() {
    cluster.kubelet().set_runtime(script);
    cluster.add_node("worker-1");
    cluster.add_storage_class("standard");
    make(kPersistentVolumeClaims, R"({"metadata": {"name": "disk"},
      "spec": {"resources": {"requests": {"storage": "1Gi"}}}})");
    make(kStatefulSets, R"({"metadata": {"name": "s"}, "spec": {"serviceName": "s",
      "updateStrategy": {"type": "OnDelete"}, "selector": {"matchLabels": {"app": "s"}},
      "template": {"metadata": {"labels": {"app": "s"}}, "spec": {
        "containers": [{"name": "main", "image": "x:1",
          "readinessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 5}}],
        "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "disk"}}]}}}})");
    settle(seconds(10));
  }
  void make(const kube::Resource& resource, const char* text) {
    const auto made = server.operations().create(*server.registry().find(resource), "default",
                                                 object_of(text), {});
    if (!made) throw std::runtime_error(made.error().message);
  }
  [[nodiscard]] json::object get(const kube::Resource& resource, const ObjectKey& key) const {
    const Object found = server.find(resource, key);
    return found ? *found : json::object();
  }
  void patch(const kube::Resource& resource, const ObjectKey& key, const char* text) {
    must(client.patch(resource, key, kube::PatchType::kMerge, object_of(text), kTester));
    settle(seconds(10));
  }
  [[nodiscard]] std::string ready() const {
    const json::object pod = get(kPods, kPod);
    const json::array* conditions = wire::find_array(pod, "status.conditions");
    for (const json::value& condition : conditions ? *conditions : json::array()) {
      if (wire::find_string(condition.as_object(), "type") == "Ready") {
        return std::string(wire::find_string(condition.as_object(), "status"));
      }
    }
    return "none";
  }
};

TEST(Cluster, BringsAStatefulSetsPodUp) {
  Bench b;
  EXPECT_EQ(b.ready(), "True");
  EXPECT_EQ(wire::find_int(b.get(kStatefulSets, kSet), "status.readyReplicas"), 1);
  EXPECT_EQ(wire::find_int(b.get(kStatefulSets, kSet), "status.observedGeneration"), 1);
  EXPECT_FALSE(wire::find_string(b.get(kPods, kPod), "status.podIP").empty());
}

TEST(Cluster, IsSilentOnceAllIsDone) {
  Bench b;
  const Version before = b.server.store().version();
  b.settle(minutes(30));
  EXPECT_EQ(b.server.store().version(), before);
}

TEST(Cluster, OnDeleteReplacesAPodOnlyWhenItIsDeleted) {
  Bench b;
  const Uid uid = kube::uid_of(b.get(kPods, kPod));
  b.patch(kStatefulSets, kSet, R"({"spec": {"template": {"metadata": {"labels": {"v": "2"}}}}})");
  EXPECT_EQ(kube::uid_of(b.get(kPods, kPod)), uid);
  EXPECT_EQ(wire::find_int(b.get(kStatefulSets, kSet), "status.updatedReplicas"), std::nullopt);
  ASSERT_TRUE(b.run(b.client.remove(kPods, kPod)));
  b.settle(seconds(30));
  EXPECT_NE(kube::uid_of(b.get(kPods, kPod)), uid);
  EXPECT_EQ(b.ready(), "True");
  EXPECT_EQ(wire::find_int(b.get(kStatefulSets, kSet), "status.updatedReplicas"), 1);
}

TEST(Cluster, APodHasItsGracePeriod) {
  Bench b;
  b.script.heeds = false;
  ASSERT_TRUE(b.run(b.client.remove(kPods, kPod)));
  b.settle(seconds(29));
  EXPECT_TRUE(kube::is_deleting(b.get(kPods, kPod)));
  b.settle(seconds(2));
  EXPECT_FALSE(kube::is_deleting(b.get(kPods, kPod)));
}

TEST(Cluster, AnOrphanedPodIsAdoptedByTheNextSet) {
  Bench b;
  const Uid pod = kube::uid_of(b.get(kPods, kPod));
  const json::object set = b.get(kStatefulSets, kSet);
  ASSERT_TRUE(
      b.run(b.client.remove(kStatefulSets, kSet, {.propagation = kube::Propagation::kOrphan})));
  b.settle(seconds(10));
  EXPECT_EQ(kube::uid_of(b.get(kPods, kPod)), pod);
  json::object again{{"metadata", json::object{{"name", "s"}}}, {"spec", set.at("spec")}};
  b.make(kStatefulSets, json::serialize(again).c_str());
  b.settle(seconds(10));
  EXPECT_EQ(kube::uid_of(b.get(kPods, kPod)), pod);
  EXPECT_EQ(kube::controller_of(b.get(kPods, kPod)), kube::uid_of(b.get(kStatefulSets, kSet)));
}

TEST(Cluster, ClaimsGrowWhereTheClassAllowsIt) {
  Bench b;
  b.patch(kPersistentVolumeClaims, kClaim,
          R"({"spec": {"resources": {"requests": {"storage": "2Gi"}}}})");
  EXPECT_EQ(wire::find_string(b.get(kPersistentVolumeClaims, kClaim), "status.capacity.storage"),
            "2Gi");
  const auto shrunk = b.run(b.client.patch(
      kPersistentVolumeClaims, kClaim, kube::PatchType::kMerge,
      object_of(R"({"spec": {"resources": {"requests": {"storage": "1Gi"}}}})"), kTester));
  ASSERT_FALSE(shrunk);
  EXPECT_EQ(shrunk.error().code(), Code::kInvalid);
}

TEST(Cluster, AClaimStaysWhileAPodUsesIt) {
  Bench b;
  ASSERT_TRUE(b.run(b.client.remove(kPersistentVolumeClaims, kClaim)));
  b.settle(seconds(10));
  EXPECT_TRUE(kube::is_deleting(b.get(kPersistentVolumeClaims, kClaim)));
  ASSERT_TRUE(b.run(b.client.remove(kStatefulSets, kSet)));
  b.settle(minutes(1));
  EXPECT_TRUE(b.get(kPersistentVolumeClaims, kClaim).empty());
  EXPECT_TRUE(b.server.store().all(*b.server.registry().find(kPersistentVolumes)).empty());
}

TEST(Cluster, ARetainedVolumeIsReleasedAndCanBeBoundAgain) {
  Bench b;
  const std::string volume(
      wire::find_string(b.get(kPersistentVolumeClaims, kClaim), "spec.volumeName"));
  b.patch(kPersistentVolumes, {"", volume},
          R"({"spec": {"persistentVolumeReclaimPolicy": "Retain"}})");
  ASSERT_TRUE(b.run(b.client.remove(kStatefulSets, kSet)));
  ASSERT_TRUE(b.run(b.client.remove(kPersistentVolumeClaims, kClaim)));
  b.settle(minutes(1));
  EXPECT_EQ(wire::find_string(b.get(kPersistentVolumes, {"", volume}), "status.phase"), "Released");
  b.patch(kPersistentVolumes, {"", volume}, R"({"spec": {"claimRef": {"uid": null}}})");
  json::object claim = object_of(R"({"metadata": {"name": "disk"},
    "spec": {"resources": {"requests": {"storage": "1Gi"}}}})");
  claim["spec"].as_object()["volumeName"] = volume;
  b.make(kPersistentVolumeClaims, json::serialize(claim).c_str());
  b.settle(seconds(10));
  EXPECT_EQ(wire::find_string(b.get(kPersistentVolumeClaims, kClaim), "status.phase"), "Bound");
}

TEST(Cluster, BudgetsCountHealthyPods) {
  Bench b;
  b.make(kube::kPodDisruptionBudgets, R"({"metadata": {"name": "p"}, "spec": {"maxUnavailable": 1,
    "selector": {"matchLabels": {"app": "s"}}}})");
  b.settle(seconds(5));
  const auto allowed = [&] {
    return wire::find_int(b.get(kube::kPodDisruptionBudgets, {"default", "p"}),
                          "status.disruptionsAllowed");
  };
  EXPECT_EQ(allowed(), 1);
  b.script.answers = false;
  b.settle(seconds(20));
  EXPECT_EQ(allowed(), 0);
}

}  // namespace
}  // namespace davit::sim
