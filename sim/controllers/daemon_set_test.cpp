// DaemonSets: https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Daemons : ControllersBench {
  explicit Daemons(const std::string& spec = "", const std::string& pod = "") {
    make("daemonsets", R"({"metadata": {"name": "d"}, "spec": {)" + spec +
                           R"("selector": {"matchLabels": {"app": "d"}}, "template": )" +
                           pod_template("d", "", pod) + "}}");
    settle(seconds(10));
  }
  std::multiset<std::string> nodes() {
    std::multiset<std::string> all;
    for (const std::string& pod : names("pods")) all.insert(text("pods", pod, "spec.nodeName"));
    return all;
  }
};

TEST(DaemonSet, RunsOnePodOnEachNodeAlsoOnNewOnes) {
  Daemons b;
  EXPECT_THAT(b.nodes(), testing::ElementsAre("worker-1", "worker-2"));
  EXPECT_EQ(b.number("daemonsets", "d", "status.numberReady"), 2);
  b.cluster.add_node("worker-3");
  b.settle(seconds(10));
  EXPECT_THAT(b.nodes(), testing::ElementsAre("worker-1", "worker-2", "worker-3"));
  EXPECT_EQ(b.number("daemonsets", "d", "status.desiredNumberScheduled"), 3);
}

TEST(DaemonSet, KeepsToItsNodeSelector) {
  Daemons b("", R"("nodeSelector": {"disk": "ssd"}, )");
  EXPECT_TRUE(b.nodes().empty());
  b.patch("nodes", "worker-2", R"({"metadata": {"labels": {"disk": "ssd"}}})");
  b.settle(seconds(10));
  EXPECT_THAT(b.nodes(), testing::ElementsAre("worker-2"));
  b.patch("nodes", "worker-2", R"({"metadata": {"labels": {"disk": null}}})");
  b.settle(seconds(40));
  EXPECT_TRUE(b.nodes().empty());
}

TEST(DaemonSet, RunsOnACordonedNodeAndNotOnATaintedOne) {
  Daemons b;
  b.cluster.cordon("worker-1");
  b.cluster.add_node(
      "worker-3",
      {.taints = {object_of(R"({"key": "only", "value": "them", "effect": "NoSchedule"})")}});
  b.remove("pods", b.names("pods").front());
  b.settle(minutes(1));
  EXPECT_THAT(b.nodes(), testing::ElementsAre("worker-1", "worker-2"));
}

TEST(DaemonSet, ARollingUpdateReplacesOneAfterTheOther) {
  Daemons b;
  std::set<std::string> before;
  for (const std::string& pod : b.names("pods")) before.insert(pod);
  b.runtime.deaf = {"main"};
  b.patch("daemonsets", "d",
          R"({"spec": {"template": {"metadata": {"annotations": {"v": "2"}}}}})");
  b.settle(seconds(5));
  int going = 0;
  for (const std::string& pod : b.names("pods")) going += kube::is_deleting(b.get("pods", pod));
  EXPECT_EQ(going, 1) << "maxUnavailable is 1";
  b.settle(minutes(3));
  for (const std::string& pod : b.names("pods")) EXPECT_FALSE(before.contains(pod)) << pod;
  EXPECT_EQ(b.number("daemonsets", "d", "status.updatedNumberScheduled"), 2);
}

TEST(DaemonSet, OnDeleteWaitsForTheDeletion) {
  Daemons b(R"("updateStrategy": {"type": "OnDelete"}, )");
  const auto before = b.names("pods");
  b.patch("daemonsets", "d",
          R"({"spec": {"template": {"metadata": {"annotations": {"v": "2"}}}}})");
  b.settle(minutes(1));
  EXPECT_EQ(b.names("pods"), before);
  EXPECT_EQ(b.number("daemonsets", "d", "status.updatedNumberScheduled"), 0);
}

}  // namespace
}  // namespace davit::sim
