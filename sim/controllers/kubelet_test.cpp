// Pods on their nodes: https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

const ObjectKey kPod{"default", "p"};

struct Pods : ControllersBench {
  void pod(const std::string& container = "", const std::string& spec = "",
           Duration time = seconds(10)) {
    make("pods", bare_pod(container, spec));
    settle(time);
  }
  std::string phase() { return text("pods", "p", "status.phase"); }
  std::string ready() { return condition("pods", "p", "Ready"); }
};

TEST(Kubelet, StartsAPodAndTellsItsAddress) {
  Pods b;
  b.pod();
  EXPECT_EQ(b.phase(), "Running");
  EXPECT_EQ(b.ready(), "True");
  EXPECT_EQ(b.text("pods", "p", "status.podIP").substr(0, 3), "10.");
  EXPECT_EQ(b.text("pods", "p", "status.hostIP"), "192.0.2.1");
  EXPECT_EQ(b.text("pods", "p", "status.qosClass"), "BestEffort");
}

TEST(Kubelet, InitContainersEndOneAfterTheOtherBeforeTheRest) {
  Pods b;
  b.pod("", R"("initContainers": [{"name": "init-1", "image": "x:1"},
    {"name": "init-2", "image": "x:1"}], )");
  EXPECT_THAT(b.runtime.started, ElementsAre("init-1", "init-2", "main"));
}

TEST(Kubelet, ASidecarStartsFirstAndStays) {
  Pods b;
  b.pod("", R"("initContainers": [{"name": "side", "image": "x:1", "restartPolicy": "Always"}], )");
  EXPECT_THAT(b.runtime.started, ElementsAre("side", "main"));
  EXPECT_EQ(b.ready(), "True");
}

TEST(Kubelet, ReadinessOnlyGatesTraffic) {
  Pods b;
  b.pod(R"(, "readinessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 1,
    "failureThreshold": 3})");
  b.runtime.silent = {"main"};
  b.settle(seconds(2));
  EXPECT_EQ(b.ready(), "True") << "three in a row make a failure";
  b.settle(seconds(5));
  EXPECT_EQ(b.ready(), "False/ContainersNotReady");
  EXPECT_EQ(b.restarts("p"), 0);
  b.runtime.silent.clear();
  b.settle(seconds(2));
  EXPECT_EQ(b.ready(), "True");
}

TEST(Kubelet, LivenessRestartsAfterThresholdAndGrace) {
  Pods b;
  b.runtime.deaf = {"main"};
  b.pod(R"(, "livenessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 1,
    "failureThreshold": 2, "terminationGracePeriodSeconds": 7})");
  b.runtime.silent = {"main"};
  b.settle(seconds(6));
  EXPECT_EQ(b.restarts("p"), 0) << "its grace";
  b.runtime.silent.clear();
  b.settle(seconds(10));
  EXPECT_EQ(b.restarts("p"), 1);
}

TEST(Kubelet, AStartupProbeHoldsTheOthersBack) {
  Pods b;
  b.runtime.silent = {"main"};
  b.pod(R"(, "startupProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 10,
    "failureThreshold": 30}, "livenessProbe": {"tcpSocket": {"port": 1}, "periodSeconds": 1,
    "failureThreshold": 1})",
        "", minutes(2));
  EXPECT_EQ(b.restarts("p"), 0);
  b.runtime.silent.clear();
  b.settle(seconds(15));
  b.runtime.silent = {"main"};
  b.settle(seconds(10));
  EXPECT_EQ(b.restarts("p"), 1);
}

TEST(Kubelet, RestartsBackOffFromTenSecondsDoubling) {
  Pods b;
  b.runtime.exits["main"] = 1;
  b.pod("", "", seconds(8));
  EXPECT_EQ(b.state("p"), "waiting/CrashLoopBackOff");
  EXPECT_EQ(b.restarts("p"), 1) << "the first restart is at once";
  b.settle(seconds(12));
  EXPECT_EQ(b.restarts("p"), 2) << "then after 10 s";
  b.settle(seconds(12));
  EXPECT_EQ(b.restarts("p"), 2);
  b.settle(seconds(12));
  EXPECT_EQ(b.restarts("p"), 3) << "then after 20 s";
}

TEST(Kubelet, RestartPolicyNeverFailsThePod) {
  Pods b;
  b.runtime.exits["main"] = 3;
  b.pod("", R"("restartPolicy": "Never", )");
  EXPECT_EQ(b.phase(), "Failed");
  EXPECT_EQ(b.state("p"), "terminated/Error");
  EXPECT_EQ(b.restarts("p"), 0);
}

TEST(Kubelet, OnFailureEndsWellWithExitCodeZero) {
  Pods b;
  b.runtime.exits["main"] = 0;
  b.pod("", R"("restartPolicy": "OnFailure", )");
  EXPECT_EQ(b.phase(), "Succeeded");
  EXPECT_EQ(b.ready(), "False/PodCompleted");
}

TEST(Kubelet, ADeafContainerIsKilledAtTheEndOfItsGrace) {
  Pods b;
  b.runtime.deaf = {"main"};
  b.pod("", R"("terminationGracePeriodSeconds": 60, )");
  b.remove("pods", "p");
  b.settle(seconds(58));
  EXPECT_TRUE(b.exists("pods", "p"));
  b.settle(seconds(4));
  EXPECT_FALSE(b.exists("pods", "p"));
}

TEST(Kubelet, AShorterGraceMayFollow) {
  Pods b;
  b.runtime.deaf = {"main"};
  b.pod("", R"("terminationGracePeriodSeconds": 600, )");
  b.remove("pods", "p");
  b.settle(seconds(5));
  b.remove("pods", "p", {.grace_seconds = 5});
  b.settle(seconds(8));
  EXPECT_FALSE(b.exists("pods", "p"));
}

TEST(Kubelet, ForcedDeletionTakesTheObjectAtOnce) {
  Pods b;
  b.runtime.deaf = {"main"};
  b.pod();
  b.remove("pods", "p", {.grace_seconds = 0});
  EXPECT_FALSE(b.exists("pods", "p"));
}

TEST(Kubelet, AMissingImageIsTriedAgainMoreAndMoreSlowly) {
  Pods b;
  b.cluster.kubelet().set_image_missing("x:1", true);
  b.pod("", "", seconds(3));
  EXPECT_EQ(b.state("p"), "waiting/ErrImagePull");
  b.settle(seconds(5));
  EXPECT_EQ(b.state("p"), "waiting/ImagePullBackOff");
  EXPECT_EQ(b.phase(), "Pending");
  b.cluster.kubelet().set_image_missing("x:1", false);
  b.settle(minutes(1));
  EXPECT_EQ(b.phase(), "Running");
}

TEST(Kubelet, AMissingConfigMapIsWaitedFor) {
  Pods b;
  b.pod(R"(, "envFrom": [{"configMapRef": {"name": "cm"}}])");
  EXPECT_EQ(b.state("p"), "waiting/CreateContainerConfigError");
  b.make("configmaps", R"({"metadata": {"name": "cm"}})");
  b.settle(seconds(20));
  EXPECT_EQ(b.phase(), "Running");
}

TEST(Kubelet, AnOomKillIsARestartWithItsReason) {
  Pods b;
  b.pod();
  EXPECT_TRUE(b.cluster.kubelet().oom_kill(kPod, "main"));
  b.settle(seconds(5));
  EXPECT_EQ(b.restarts("p"), 1);
  const json::object pod = b.get("pods", "p");
  const json::object& status = (*wire::find_array(pod, "status.containerStatuses"))[0].as_object();
  EXPECT_EQ(wire::find_string(status, "lastState.terminated.reason"), "OOMKilled");
  EXPECT_EQ(wire::find_int(status, "lastState.terminated.exitCode"), 137);
}

TEST(Kubelet, AnEvictedPodFailsAndStays) {
  Pods b;
  b.pod();
  EXPECT_TRUE(b.cluster.kubelet().evict(kPod, "memory"));
  b.settle(seconds(5));
  EXPECT_EQ(b.phase(), "Failed");
  EXPECT_EQ(b.text("pods", "p", "status.reason"), "Evicted");
  EXPECT_EQ(b.text("pods", "p", "status.message"), "The node was low on resource: memory. ");
  EXPECT_EQ(b.condition("pods", "p", "DisruptionTarget"), "True/TerminationByKubelet");
}

}  // namespace
}  // namespace davit::sim
