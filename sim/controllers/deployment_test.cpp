// Deployments: https://kubernetes.io/docs/concepts/workloads/controllers/deployment/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Deployed : ControllersBench {
  explicit Deployed(const std::string& spec = "") {
    make("deployments", R"({"metadata": {"name": "d"}, "spec": {"replicas": 4, )" + spec +
                            R"("selector": {"matchLabels": {"app": "d"}}, "template": )" +
                            pod_template("d",
                                         R"(, "readinessProbe": {"tcpSocket": {"port": 1},
                                           "periodSeconds": 1})") +
                            "}}");
    settle(seconds(20));
  }
  void new_template(const char* value) {
    patch("deployments", "d",
          std::string(R"({"spec": {"template": {"metadata": {"annotations": {"v": )") + value +
              "}}}}}");
  }
  std::size_t sets() { return names("replicasets").size(); }
};

TEST(Deployment, MakesItsPodsThroughAReplicaSet) {
  Deployed b;
  EXPECT_EQ(b.sets(), 1U);
  EXPECT_EQ(b.names("pods").size(), 4U);
  EXPECT_EQ(b.number("deployments", "d", "status.availableReplicas"), 4);
  EXPECT_EQ(b.condition("deployments", "d", "Available"), "True/MinimumReplicasAvailable");
  EXPECT_EQ(b.condition("deployments", "d", "Progressing"), "True/NewReplicaSetAvailable");
}

TEST(Deployment, ARolloutStaysWithinSurgeAndUnavailable) {
  Deployed b;
  b.new_template("\"2\"");
  for (int i = 0; i < 120; ++i) {
    b.settle(seconds(1));
    std::int64_t wanted = 0;
    for (const std::string& set : b.names("replicasets")) {
      wanted += b.number("replicasets", set, "spec.replicas");
    }
    EXPECT_LE(wanted, 5) << "25% of 4 more at most";
    EXPECT_GE(b.number("deployments", "d", "status.availableReplicas"), 3) << "25% fewer at most";
  }
  EXPECT_EQ(b.number("deployments", "d", "status.updatedReplicas"), 4);
  EXPECT_EQ(b.number("deployments", "d", "status.replicas"), 4);
  EXPECT_EQ(b.sets(), 2U);
}

TEST(Deployment, ABrokenTemplateStopsTheRolloutAndTimesOut) {
  Deployed b(R"("progressDeadlineSeconds": 60, )");
  b.runtime.silent = {"main"};
  b.patch("deployments", "d", R"({"spec": {"template": {"spec": {"containers":
    [{"name": "main", "image": "bad:1"}]}}}})");
  b.cluster.kubelet().set_image_missing("bad:1", true);
  b.settle(minutes(3));
  EXPECT_EQ(b.condition("deployments", "d", "Progressing"), "False/ProgressDeadlineExceeded");
}

TEST(Deployment, RecreateStopsTheOldBeforeItStartsTheNew) {
  Deployed b(R"("strategy": {"type": "Recreate"}, )");
  b.runtime.deaf = {"main"};
  b.new_template("\"2\"");
  b.settle(seconds(10));
  EXPECT_EQ(b.names("pods").size(), 4U) << "the old ones, ending";
  b.settle(minutes(2));
  EXPECT_EQ(b.number("deployments", "d", "status.updatedReplicas"), 4);
}

TEST(Deployment, GoingBackUsesTheOldReplicaSetAgain) {
  Deployed b;
  b.new_template("\"2\"");
  b.settle(minutes(2));
  b.new_template("null");
  b.settle(minutes(2));
  EXPECT_EQ(b.sets(), 2U);
}

TEST(Deployment, PausedItDoesNotRollOut) {
  Deployed b(R"("paused": false, )");
  b.patch("deployments", "d", R"({"spec": {"paused": true}})");
  b.new_template("\"2\"");
  b.settle(minutes(1));
  EXPECT_EQ(b.sets(), 1U);
}

TEST(ReplicaSet, ReplacesAPodThatGoesAndRemovesOneTooMany) {
  Deployed b;
  b.remove("pods", b.names("pods").front());
  b.settle(seconds(30));
  EXPECT_EQ(b.names("pods").size(), 4U);
  b.patch("deployments", "d", R"({"spec": {"replicas": 1}})");
  b.settle(seconds(30));
  EXPECT_EQ(b.names("pods").size(), 1U);
}

}  // namespace
}  // namespace davit::sim
