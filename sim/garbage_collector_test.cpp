#include "sim/garbage_collector.hpp"

#include <gmock/gmock.h>

#include "sim/test_cluster.hpp"

namespace davit::sim {
namespace {

using kube::kConfigMaps;
using kube::Propagation;

json::object child_of(const json::object& owner, const std::string& name) {
  json::object child = config_map(name);
  child["metadata"].as_object()["ownerReferences"] =
      json::array{json::object{{"apiVersion", "v1"},
                               {"kind", "ConfigMap"},
                               {"name", kube::key_of(owner).name},
                               {"uid", kube::uid_of(owner).value},
                               {"controller", true},
                               {"blockOwnerDeletion", true}}};
  return child;
}

struct Family : TestCluster {
  json::object owner = must(client.create(kConfigMaps, config_map("owner"), kTester));
  json::object child = must(client.create(kConfigMaps, child_of(owner, "child"), kTester));

  [[nodiscard]] bool exists(const std::string& name) const {
    return server.find(kConfigMaps, {"default", name}) != nullptr;
  }
  void remove_owner(Propagation propagation) {
    ASSERT_TRUE(
        run(client.remove(kConfigMaps, {"default", "owner"}, {.propagation = propagation})));
  }
};

TEST(GarbageCollector, DependentsFollowTheirOwner) {
  Family f;
  f.settle();
  EXPECT_TRUE(f.exists("child"));
  f.remove_owner(Propagation::kBackground);
  EXPECT_FALSE(f.exists("owner"));
  f.settle();
  EXPECT_FALSE(f.exists("child"));
}

TEST(GarbageCollector, ADependentOfAnOwnerThatIsAlreadyGoneIsCollected) {
  Family f;
  json::object impostor = f.owner;
  impostor["metadata"].as_object()["uid"] = "gone";
  f.must(f.client.create(kConfigMaps, child_of(impostor, "late"), kTester));
  f.settle();
  EXPECT_FALSE(f.exists("late")) << "the name is there, the uid is not";
  EXPECT_TRUE(f.exists("child"));
}

TEST(GarbageCollector, ForegroundWaitsForTheDependents) {
  Family f;
  json::object held = f.child;
  held["metadata"].as_object()["finalizers"] = json::array{"test/hold"};
  f.must(f.client.replace(kConfigMaps, held, kTester));
  f.remove_owner(Propagation::kForeground);
  f.settle();
  EXPECT_TRUE(f.exists("owner"));
  f.must(f.client.patch(kConfigMaps, {"default", "child"}, kube::PatchType::kMerge,
                        object_of(R"({"metadata": {"finalizers": null}})"), kTester));
  f.settle();
  EXPECT_FALSE(f.exists("owner"));
  EXPECT_FALSE(f.exists("child"));
}

TEST(GarbageCollector, OrphansStay) {
  Family f;
  f.remove_owner(Propagation::kOrphan);
  f.settle();
  EXPECT_FALSE(f.exists("owner"));
  ASSERT_TRUE(f.exists("child"));
  EXPECT_EQ(
      wire::find(*f.server.find(kConfigMaps, {"default", "child"}), "metadata.ownerReferences"),
      nullptr);
}

TEST(GarbageCollector, ANamespaceTakesItsContentAndAcceptsNoMore) {
  TestCluster c;
  c.server.add_namespace("n");
  json::object inside = config_map("a");
  inside["metadata"].as_object()["namespace"] = "n";
  inside["metadata"].as_object()["finalizers"] = json::array{"test/hold"};
  c.must(c.client.create(kConfigMaps, inside, kTester));
  ASSERT_TRUE(c.run(c.client.remove(kube::kNamespaces, {"", "n"})));
  c.settle();
  json::object late = config_map("b");
  late["metadata"].as_object()["namespace"] = "n";
  const auto refused = c.run(c.client.create(kConfigMaps, late, kTester));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Code::kForbidden);
  EXPECT_THAT(refused.error().message(), testing::HasSubstr("because it is being terminated"));
  c.must(c.client.patch(kConfigMaps, {"n", "a"}, kube::PatchType::kMerge,
                        object_of(R"({"metadata": {"finalizers": null}})"), kTester));
  c.settle();
  EXPECT_EQ(c.server.find(kube::kNamespaces, {"", "n"}), nullptr);
}

}  // namespace
}  // namespace davit::sim
