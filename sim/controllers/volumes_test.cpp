// Claims and volumes: https://kubernetes.io/docs/concepts/storage/persistent-volumes/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Volumes : ControllersBench {
  void claim(const std::string& spec, const std::string& name = "c") {
    make("persistentvolumeclaims", R"({"metadata": {"name": ")" + name + R"("}, "spec": {)" + spec +
                                       R"("accessModes": ["ReadWriteOnce"],
      "resources": {"requests": {"storage": "2Gi"}}}})");
  }
  void volume(const std::string& name, const std::string& size, const std::string& spec = "") {
    make("persistentvolumes", R"({"metadata": {"name": ")" + name + R"("}, "spec": {)" + spec +
                                  R"("capacity": {"storage": ")" + size + R"("},
      "accessModes": ["ReadWriteOnce"], "storageClassName": "manual",
      "persistentVolumeReclaimPolicy": "Retain",
      "csi": {"driver": "x", "volumeHandle": ")" +
                                  name + R"("}}})");
  }
  void user_of(const std::string& claim) {
    make("pods", bare_pod("", R"("volumes": [{"name": "v", "persistentVolumeClaim":
      {"claimName": ")" + claim + R"("}}], )"));
  }
  std::string phase(const std::string& name = "c") {
    return text("persistentvolumeclaims", name, "status.phase");
  }
  std::string bound_to(const std::string& name = "c") {
    return text("persistentvolumeclaims", name, "spec.volumeName");
  }
  void ask_for(const std::string& size) {
    patch("persistentvolumeclaims", "c",
          R"({"spec": {"resources": {"requests": {"storage": ")" + size + R"("}}}})");
  }
  std::string capacity() { return text("persistentvolumeclaims", "c", "status.capacity.storage"); }
};

TEST(Binding, TakesTheDefaultClassAndANewVolume) {
  Volumes b;
  b.claim("");
  b.settle(seconds(5));
  EXPECT_EQ(b.phase(), "Bound");
  EXPECT_EQ(b.text("persistentvolumeclaims", "c", "spec.storageClassName"), "standard");
  EXPECT_EQ(b.text("persistentvolumes", b.bound_to(), "status.phase"), "Bound");
  EXPECT_EQ(b.capacity(), "2Gi");
}

TEST(Binding, TakesTheSmallestVolumeThatWillDo) {
  Volumes b;
  b.volume("large", "10Gi");
  b.volume("small", "1Gi");
  b.volume("fits", "3Gi");
  b.claim(R"("storageClassName": "manual", )");
  b.settle(seconds(5));
  EXPECT_EQ(b.bound_to(), "fits");
  EXPECT_EQ(b.capacity(), "3Gi") << "the volume's, not the claim's";
}

TEST(Binding, WithoutAVolumeOfItsClassAClaimWaits) {
  Volumes b;
  b.claim(R"("storageClassName": "manual", )");
  b.settle(minutes(1));
  EXPECT_EQ(b.phase(), "Pending");
  b.volume("late", "2Gi");
  b.settle(seconds(10));
  EXPECT_EQ(b.phase(), "Bound");
}

TEST(Binding, AReservedVolumeIsForItsClaimOnly) {
  Volumes b;
  b.volume("mine", "5Gi", R"("claimRef": {"namespace": "default", "name": "other"}, )");
  b.claim(R"("storageClassName": "manual", )");
  b.settle(seconds(10));
  EXPECT_EQ(b.phase(), "Pending");
  b.claim(R"("storageClassName": "manual", )", "other");
  b.settle(seconds(10));
  EXPECT_EQ(b.bound_to("other"), "mine");
}

TEST(Binding, WaitForFirstConsumerWaitsForAPodsNode) {
  Volumes b;
  b.cluster.add_storage_class("late", {.is_default = false, .wait_for_consumer = true});
  b.claim(R"("storageClassName": "late", )");
  b.settle(minutes(1));
  EXPECT_EQ(b.phase(), "Pending");
  b.user_of("c");
  b.settle(seconds(10));
  EXPECT_EQ(b.phase(), "Bound");
  EXPECT_EQ(b.text("pods", "p", "status.phase"), "Running");
  const json::object claim = b.get("persistentvolumeclaims", "c");
  EXPECT_EQ(wire::find_object(claim, "metadata.annotations")
                ->at("volume.kubernetes.io/selected-node")
                .as_string(),
            b.text("pods", "p", "spec.nodeName"));
}

TEST(Binding, APodWaitsForAnImmediateClaim) {
  Volumes b;
  b.cluster.volumes().set_provisions(false);
  b.claim("");
  b.user_of("c");
  b.settle(seconds(10));
  EXPECT_EQ(b.condition("pods", "p", "PodScheduled"), "False/Unschedulable");
  b.cluster.volumes().set_provisions(true);
  b.settle(seconds(10));
  EXPECT_EQ(b.text("pods", "p", "status.phase"), "Running");
}

TEST(Binding, AClaimWhoseVolumeIsDeletedIsLost) {
  Volumes b;
  b.volume("v", "2Gi");
  b.claim(R"("storageClassName": "manual", )");
  b.settle(seconds(10));
  b.patch("persistentvolumes", "v", R"({"metadata": {"finalizers": null}})");
  b.cluster.volume_keeper().set_enabled(false);
  b.patch("persistentvolumes", "v", R"({"metadata": {"finalizers": null}})");
  b.remove("persistentvolumes", "v");
  b.settle(seconds(10));
  EXPECT_EQ(b.phase(), "Lost");
}

TEST(Protection, AVolumeStaysWhileAClaimHoldsIt) {
  Volumes b;
  b.volume("v", "2Gi");
  b.claim(R"("storageClassName": "manual", )");
  b.settle(seconds(10));
  b.remove("persistentvolumes", "v");
  b.settle(seconds(10));
  EXPECT_TRUE(kube::is_deleting(b.get("persistentvolumes", "v")));
  b.remove("persistentvolumeclaims", "c");
  b.settle(seconds(10));
  EXPECT_FALSE(b.exists("persistentvolumes", "v"));
}

TEST(Reclaim, DeleteTakesTheVolumeAndRetainReleasesIt) {
  Volumes b;
  b.claim("");
  b.volume("kept", "2Gi");
  b.claim(R"("storageClassName": "manual", )", "k");
  b.settle(seconds(10));
  const std::string gone = b.bound_to();
  b.remove("persistentvolumeclaims", "c");
  b.remove("persistentvolumeclaims", "k");
  b.settle(seconds(10));
  EXPECT_FALSE(b.exists("persistentvolumes", gone));
  EXPECT_EQ(b.text("persistentvolumes", "kept", "status.phase"), "Released");
  b.claim(R"("storageClassName": "manual", )", "again");
  b.settle(seconds(10));
  EXPECT_EQ(b.phase("again"), "Pending") << "a released volume is not available";
}

TEST(Expansion, GrowsTheVolumeThenItsFileSystemUnderARunningPod) {
  Volumes b;
  b.claim("");
  b.settle(seconds(5));
  b.ask_for("4Gi");
  b.settle(seconds(20));
  EXPECT_EQ(b.text("persistentvolumes", b.bound_to(), "spec.capacity.storage"), "4Gi");
  EXPECT_EQ(b.condition("persistentvolumeclaims", "c", "FileSystemResizePending"), "True");
  EXPECT_EQ(b.capacity(), "2Gi") << "nobody mounts it";
  b.user_of("c");
  b.settle(seconds(20));
  EXPECT_EQ(b.capacity(), "4Gi");
  EXPECT_EQ(b.condition("persistentvolumeclaims", "c", "FileSystemResizePending"), "none");
}

TEST(Expansion, NeverShrinks) {
  Volumes b;
  b.claim("");
  b.settle(seconds(5));
  EXPECT_ANY_THROW(b.ask_for("1Gi"));
}

TEST(Expansion, SaysWhyItFails) {
  Volumes b;
  b.claim("");
  b.user_of("c");
  b.settle(seconds(10));
  b.cluster.growth().set_failure(VolumeGrowth::Failure::kController);
  b.ask_for("4Gi");
  b.settle(minutes(1));
  EXPECT_EQ(b.condition("persistentvolumeclaims", "c", "ControllerResizeError"), "True");
  b.cluster.growth().set_failure(VolumeGrowth::Failure::kNode);
  b.settle(minutes(1));
  EXPECT_EQ(b.condition("persistentvolumeclaims", "c", "NodeResizeError"), "True");
  EXPECT_EQ(b.capacity(), "2Gi");
  b.cluster.growth().set_failure(VolumeGrowth::Failure::kNone);
  b.settle(minutes(1));
  EXPECT_EQ(b.capacity(), "4Gi");
  EXPECT_EQ(b.condition("persistentvolumeclaims", "c", "NodeResizeError"), "none");
}

// The kinds of external-snapshotter, without their schemas.
struct Snapshots : Volumes {
  Snapshots() {
    for (const auto& [kind, plural, scope] :
         {std::tuple("VolumeSnapshot", "volumesnapshots", "Namespaced"),
          std::tuple("VolumeSnapshotContent", "volumesnapshotcontents", "Cluster")}) {
      server.add_crd(object_of(
          R"({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": ")" +
          std::string(plural) + R"(.snapshot.storage.k8s.io"},
        "spec": {"group": "snapshot.storage.k8s.io", "scope": ")" +
          scope + R"(", "names": {"kind": ")" + kind + R"(", "plural": ")" + plural + R"("},
        "versions": [{"name": "v1", "served": true, "storage": true,
          "subresources": {"status": {}}, "schema": {"openAPIV3Schema": {"type": "object",
          "x-kubernetes-preserve-unknown-fields": true}}}]}})"));
    }
    claim("");
    settle(seconds(5));
  }
  void snapshot() {
    make("volumesnapshots", R"({"metadata": {"name": "s"},
      "spec": {"source": {"persistentVolumeClaimName": "c"}}})");
  }
  bool ready() { return wire::find_bool(get("volumesnapshots", "s"), "status.readyToUse", false); }
};

TEST(Snapshots, AreReadyAfterAWhileAndGoWithTheirContent) {
  Snapshots b;
  b.snapshot();
  b.settle(seconds(2));
  EXPECT_FALSE(b.ready());
  b.settle(seconds(10));
  EXPECT_TRUE(b.ready());
  EXPECT_EQ(b.text("volumesnapshots", "s", "status.restoreSize"), "2Gi");
  ASSERT_EQ(b.names("volumesnapshotcontents").size(), 1U);
  b.remove("volumesnapshots", "s");
  b.settle(seconds(5));
  EXPECT_TRUE(b.names("volumesnapshotcontents").empty());
}

TEST(Snapshots, AClaimFromOneWaitsUntilItIsReady) {
  Snapshots b;
  b.cluster.snapshots().set_failing(true);
  b.snapshot();
  b.claim(R"("dataSource": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot",
    "name": "s"}, )",
          "restored");
  b.settle(minutes(1));
  EXPECT_EQ(b.phase("restored"), "Pending");
  EXPECT_FALSE(b.text("volumesnapshots", "s", "status.error.message").empty());
  b.cluster.snapshots().set_failing(false);
  b.settle(minutes(1));
  EXPECT_TRUE(b.ready());
  EXPECT_EQ(b.phase("restored"), "Bound");
}

}  // namespace
}  // namespace davit::sim
