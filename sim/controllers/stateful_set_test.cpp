// StatefulSets: https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

const char* const kReadiness =
    R"(, "readinessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 1})";

struct Sets : ControllersBench {
  void set(const std::string& spec, const std::string& container = kReadiness) {
    make("statefulsets", R"({"metadata": {"name": "s"}, "spec": {"serviceName": "s", )" + spec +
                             R"("selector": {"matchLabels": {"app": "s"}}, "template": )" +
                             pod_template("s", container) + "}}");
  }
  void new_template() {
    patch("statefulsets", "s",
          R"({"spec": {"template": {"metadata": {"annotations": {"v": "2"}}}}})");
  }
  std::string revision(const std::string& pod) {
    const json::object object = get("pods", pod);
    const json::object* labels = wire::find_object(object, "metadata.labels");
    return labels ? std::string(wire::find_string(*labels, "controller-revision-hash")) : "";
  }
};

TEST(StatefulSet, MakesPodsInOrderEachWhenTheOneBeforeIsReady) {
  Sets b;
  b.runtime.silent = {"main"};
  b.set(R"("replicas": 3, )");
  b.settle(seconds(20));
  EXPECT_THAT(b.names("pods"), ElementsAre("s-0"));
  b.runtime.silent.clear();
  b.settle(seconds(20));
  EXPECT_THAT(b.names("pods"), ElementsAre("s-0", "s-1", "s-2"));
  EXPECT_EQ(b.number("statefulsets", "s", "status.readyReplicas"), 3);
  EXPECT_EQ(b.number("statefulsets", "s", "status.availableReplicas"), 3);
}

TEST(StatefulSet, ParallelWaitsForNobody) {
  Sets b;
  b.runtime.silent = {"main"};
  b.set(R"("replicas": 3, "podManagementPolicy": "Parallel", )");
  b.settle(seconds(5));
  EXPECT_THAT(b.names("pods"), ElementsAre("s-0", "s-1", "s-2"));
}

TEST(StatefulSet, ScalesDownFromTheHighestOneByOne) {
  Sets b;
  b.set(R"("replicas": 3, )");
  b.settle(seconds(30));
  b.runtime.deaf = {"main"};
  b.patch("statefulsets", "s", R"({"spec": {"replicas": 1}})");
  b.settle(seconds(5));
  EXPECT_TRUE(kube::is_deleting(b.get("pods", "s-2")));
  EXPECT_FALSE(kube::is_deleting(b.get("pods", "s-1"))) << "only when s-2 is gone";
  b.settle(seconds(90));
  EXPECT_THAT(b.names("pods"), ElementsAre("s-0"));
}

TEST(StatefulSet, ARollingUpdateGoesFromTheHighestDownToThePartition) {
  Sets b;
  b.set(R"("replicas": 3, "updateStrategy": {"type": "RollingUpdate",
    "rollingUpdate": {"partition": 1}}, )");
  b.settle(seconds(30));
  const std::string old = b.revision("s-0");
  b.new_template();
  b.settle(milliseconds(500));
  EXPECT_TRUE(kube::is_deleting(b.get("pods", "s-2")));
  EXPECT_FALSE(kube::is_deleting(b.get("pods", "s-1")));
  b.settle(seconds(60));
  EXPECT_EQ(b.revision("s-0"), old);
  EXPECT_NE(b.revision("s-1"), old);
  EXPECT_EQ(b.revision("s-1"), b.revision("s-2"));
  EXPECT_EQ(b.number("statefulsets", "s", "status.updatedReplicas"), 2);
  EXPECT_EQ(b.text("statefulsets", "s", "status.currentRevision"), old);
  EXPECT_EQ(b.text("statefulsets", "s", "status.updateRevision"), b.revision("s-2"));
}

TEST(StatefulSet, APodBelowThePartitionComesBackInTheOldRevision) {
  Sets b;
  b.set(R"("replicas": 2, "updateStrategy": {"type": "RollingUpdate",
    "rollingUpdate": {"partition": 1}}, )");
  b.settle(seconds(30));
  const std::string old = b.revision("s-0");
  b.new_template();
  b.settle(seconds(30));
  b.remove("pods", "s-0");
  b.settle(seconds(30));
  EXPECT_EQ(b.revision("s-0"), old);
}

TEST(StatefulSet, ARolloutStopsAtAPodThatIsNotReady) {
  Sets b;
  b.set(R"("replicas": 2, )");
  b.settle(seconds(30));
  const std::string old = b.revision("s-0");
  b.runtime.silent = {"main"};
  b.new_template();
  b.settle(seconds(60));
  EXPECT_EQ(b.revision("s-0"), old);
  EXPECT_NE(b.revision("s-1"), old);
}

TEST(StatefulSet, OnDeleteLeavesPodsUntilSomebodyDeletesThem) {
  Sets b;
  b.set(R"("replicas": 2, "updateStrategy": {"type": "OnDelete"}, )");
  b.settle(seconds(30));
  const std::string old = b.revision("s-0");
  b.new_template();
  b.settle(seconds(60));
  EXPECT_EQ(b.revision("s-0"), old);
  b.remove("pods", "s-0");
  b.settle(seconds(30));
  EXPECT_NE(b.revision("s-0"), old);
  EXPECT_EQ(b.revision("s-1"), old);
}

TEST(StatefulSet, ATemplateThatGoesBackGoesBackToItsRevision) {
  Sets b;
  b.set("");
  b.settle(seconds(20));
  const std::string first = b.revision("s-0");
  b.new_template();
  b.settle(seconds(30));
  EXPECT_NE(b.revision("s-0"), first);
  b.patch("statefulsets", "s", R"({"spec": {"template": {"metadata": {"annotations": null}}}})");
  b.settle(seconds(30));
  EXPECT_EQ(b.revision("s-0"), first);
}

TEST(StatefulSet, PodsCarryTheirNameIndexAndHostname) {
  Sets b;
  b.set(R"("ordinals": {"start": 4}, )");
  b.settle(seconds(20));
  const json::object pod = b.get("pods", "s-4");
  const json::object& labels = *wire::find_object(pod, "metadata.labels");
  EXPECT_EQ(labels.at("statefulset.kubernetes.io/pod-name").as_string(), "s-4");
  EXPECT_EQ(labels.at("apps.kubernetes.io/pod-index").as_string(), "4");
  EXPECT_EQ(wire::find_string(pod, "spec.hostname"), "s-4");
  EXPECT_EQ(wire::find_string(pod, "spec.subdomain"), "s");
}

TEST(StatefulSet, ClaimsOutliveScalingAndDeletionUnlessThePolicySaysOtherwise) {
  for (const bool keeps : {true, false}) {
    Sets b;
    const std::string policy = keeps ? "Retain" : "Delete";
    b.set(R"("replicas": 2, "persistentVolumeClaimRetentionPolicy": {"whenDeleted": ")" + policy +
          R"(", "whenScaled": ")" + policy + R"("}, "volumeClaimTemplates": [{"metadata":
      {"name": "d"}, "spec": {"accessModes": ["ReadWriteOnce"],
      "resources": {"requests": {"storage": "1Gi"}}}}], )");
    b.settle(seconds(30));
    EXPECT_THAT(b.names("persistentvolumeclaims"), ElementsAre("d-s-0", "d-s-1"));
    b.patch("statefulsets", "s", R"({"spec": {"replicas": 1}})");
    b.settle(seconds(60));
    EXPECT_EQ(b.exists("persistentvolumeclaims", "d-s-1"), keeps);
    b.remove("statefulsets", "s");
    b.settle(seconds(60));
    EXPECT_EQ(b.exists("persistentvolumeclaims", "d-s-0"), keeps);
    EXPECT_THAT(b.names("pods"), IsEmpty());
  }
}

TEST(StatefulSet, AFailedPodIsReplaced) {
  Sets b;
  b.set("", "");
  b.settle(seconds(20));
  const Uid first = b.uid("pods", "s-0");
  b.cluster.kubelet().evict({"default", "s-0"}, "memory");
  b.settle(seconds(20));
  EXPECT_NE(b.uid("pods", "s-0"), first);
  EXPECT_EQ(b.text("pods", "s-0", "status.phase"), "Running");
}

TEST(StatefulSet, MinReadySecondsDelayAvailability) {
  Sets b;
  b.set(R"("replicas": 2, "minReadySeconds": 30, )", "");
  b.settle(seconds(15));
  EXPECT_EQ(b.number("statefulsets", "s", "status.readyReplicas"), 1);
  EXPECT_EQ(b.number("statefulsets", "s", "status.availableReplicas"), 0);
  EXPECT_FALSE(b.exists("pods", "s-1"));
  b.settle(seconds(30));
  EXPECT_TRUE(b.exists("pods", "s-1"));
}

}  // namespace
}  // namespace davit::sim
