// Nodes that fall silent or run short: https://kubernetes.io/docs/concepts/architecture/nodes/ and
// .../scheduling-eviction/taint-and-toleration/, .../node-pressure-eviction/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using Pressure = NodeController::Pressure;

struct Nodes : ControllersBench {
  std::string node;
  explicit Nodes(const std::string& spec = "") {
    make("pods", bare_pod("", spec));
    settle(seconds(10));
    node = text("pods", "p", "spec.nodeName");
  }
  void lose(MachineState how = MachineState::kCutOff) { cluster.nodes().set_state(node, how); }
  bool tainted(std::string_view key) {
    const json::object object = get("nodes", node);
    const json::array* taints = wire::find_array(object, "spec.taints");
    return taints && std::ranges::any_of(*taints, [&](const json::value& taint) {
             return wire::find_string(taint.as_object(), "key") == key;
           });
  }
  bool going() { return kube::is_deleting(get("pods", "p")); }
};

TEST(Nodes, SilenceOfFortySecondsMakesANodeUnknown) {
  Nodes b;
  b.lose();
  b.settle(seconds(38));
  EXPECT_EQ(b.condition("nodes", b.node, "Ready"), "True/KubeletReady");
  b.settle(seconds(5));
  EXPECT_EQ(b.condition("nodes", b.node, "Ready"), "Unknown/NodeStatusUnknown");
  EXPECT_TRUE(b.tainted("node.kubernetes.io/unreachable"));
  EXPECT_EQ(b.condition("pods", "p", "Ready"), "False");
}

TEST(Nodes, PodsAreDeletedAfterFiveMinutesAndStayTerminating) {
  Nodes b;
  b.lose();
  b.settle(minutes(5));
  EXPECT_FALSE(b.going());
  b.settle(minutes(1));
  EXPECT_TRUE(b.going());
  EXPECT_EQ(b.condition("pods", "p", "DisruptionTarget"), "True/DeletionByTaintManager");
  b.settle(minutes(30));
  EXPECT_TRUE(b.exists("pods", "p")) << "nobody can say that it ended";
}

TEST(Nodes, APodMayTolerateItLongerOrShorter) {
  Nodes b(R"("tolerations": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists",
    "effect": "NoExecute", "tolerationSeconds": 20}], )");
  b.lose();
  b.settle(seconds(55));
  EXPECT_FALSE(b.going());
  b.settle(seconds(10));
  EXPECT_TRUE(b.going());
}

TEST(Nodes, ANodeThatComesBackEndsWhatWasDeletedAndKeepsTheRest) {
  Nodes b;
  b.lose();
  b.settle(minutes(2));
  b.lose(MachineState::kUp);
  b.settle(seconds(10));
  EXPECT_EQ(b.condition("nodes", b.node, "Ready"), "True/KubeletReady");
  EXPECT_FALSE(b.tainted("node.kubernetes.io/unreachable"));
  EXPECT_EQ(b.condition("pods", "p", "Ready"), "True");
  EXPECT_EQ(b.restarts("p"), 0) << "it ran on";
  b.lose();
  b.settle(minutes(7));
  b.lose(MachineState::kUp);
  b.settle(minutes(1));
  EXPECT_FALSE(b.exists("pods", "p"));
}

TEST(Nodes, PowerLossRestartsTheContainers) {
  Nodes b;
  b.lose(MachineState::kPoweredOff);
  b.settle(minutes(1));
  b.lose(MachineState::kUp);
  b.settle(seconds(20));
  EXPECT_EQ(b.restarts("p"), 1);
  EXPECT_EQ(b.condition("pods", "p", "Ready"), "True");
}

TEST(Nodes, OutOfServiceDeletesByForce) {
  Nodes b;
  b.lose(MachineState::kPoweredOff);
  b.settle(minutes(7));
  EXPECT_TRUE(b.going());
  b.patch("nodes", b.node, R"({"spec": {"taints": [
    {"key": "node.kubernetes.io/out-of-service", "value": "nodeshutdown", "effect": "NoExecute"}]}})");
  b.settle(seconds(10));
  EXPECT_FALSE(b.exists("pods", "p"));
}

TEST(Nodes, PodsOfADeletedNodeAreCollected) {
  Nodes b;
  b.lose(MachineState::kPoweredOff);
  b.remove("nodes", b.node);
  b.settle(minutes(2));
  EXPECT_FALSE(b.exists("pods", "p"));
}

TEST(Nodes, MemoryPressureEvictsAndKeepsNewPodsAway) {
  Nodes b;
  b.cluster.nodes().set_pressure(b.node, Pressure::kMemory, true);
  b.settle(seconds(30));
  EXPECT_EQ(b.condition("nodes", b.node, "MemoryPressure"), "True/KubeletHasInsufficientMemory");
  EXPECT_TRUE(b.tainted("node.kubernetes.io/memory-pressure"));
  EXPECT_EQ(b.text("pods", "p", "status.reason"), "Evicted");
  b.cluster.nodes().set_pressure(b.node, Pressure::kMemory, false);
  b.settle(seconds(30));
  EXPECT_FALSE(b.tainted("node.kubernetes.io/memory-pressure"));
}

TEST(Nodes, DiskPressureNamesTheDisk) {
  Nodes b;
  b.cluster.nodes().set_pressure(b.node, Pressure::kDisk, true);
  b.settle(seconds(30));
  EXPECT_EQ(b.condition("nodes", b.node, "DiskPressure"), "True/KubeletHasDiskPressure");
  EXPECT_EQ(b.text("pods", "p", "status.message"),
            "The node was low on resource: ephemeral-storage. ");
}

TEST(Nodes, PressureEvictsTheLeastImportantFirst) {
  Nodes b(R"("nodeName": "worker-1", )");
  b.make("pods", R"({"metadata": {"name": "a"}, "spec": {"nodeName": "worker-1", "containers":
    [{"name": "main", "image": "x:1", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}}}]}})");
  b.settle(seconds(10));
  b.cluster.nodes().set_pressure("worker-1", Pressure::kMemory, true);
  b.settle(seconds(5));
  EXPECT_EQ(b.text("pods", "p", "status.phase"), "Failed") << "best effort";
  EXPECT_EQ(b.text("pods", "a", "status.phase"), "Running") << "guaranteed";
}

TEST(Nodes, ACordonedNodeTakesNoMorePods) {
  Nodes b;
  b.cluster.cordon("worker-1");
  b.cluster.cordon("worker-2");
  b.make("pods", R"({"metadata": {"name": "q"}, "spec": {"containers":
    [{"name": "main", "image": "x:1"}]}})");
  b.settle(seconds(10));
  EXPECT_EQ(b.text("pods", "p", "status.phase"), "Running");
  EXPECT_EQ(b.condition("pods", "q", "PodScheduled"), "False/Unschedulable");
  b.cluster.cordon("worker-2", false);
  b.settle(seconds(10));
  EXPECT_EQ(b.text("pods", "q", "spec.nodeName"), "worker-2");
}

}  // namespace
}  // namespace davit::sim
