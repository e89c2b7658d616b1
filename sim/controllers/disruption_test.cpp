// Budgets and evictions: https://kubernetes.io/docs/concepts/workloads/pods/disruptions/ and
// https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/
#include <gmock/gmock.h>

#include "sim/controllers/eviction.hpp"
#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

struct Budgeted : ControllersBench {
  explicit Budgeted(const std::string& budget) {
    make("statefulsets", R"({"metadata": {"name": "s"}, "spec": {"serviceName": "s", "replicas": 3,
      "podManagementPolicy": "Parallel", "selector": {"matchLabels": {"app": "s"}}, "template": )" +
                             pod_template("s", R"(, "readinessProbe": {"tcpSocket": {"port": 1},
                               "periodSeconds": 1})") +
                             "}}");
    make("poddisruptionbudgets", R"({"metadata": {"name": "b"}, "spec": {)" + budget +
                                     R"(, "selector": {"matchLabels": {"app": "s"}}}})");
    settle(seconds(20));
  }
  std::int64_t status(const std::string& field) {
    return number("poddisruptionbudgets", "b", "status." + field);
  }
  io::HttpResponse evict_by_request(const std::string& pod) {
    return *run(server.send(
        {.method = "POST",
         .target = "/api/v1/namespaces/default/pods/" + pod + "/eviction",
         .body = R"({"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": ")" + pod +
                 R"(", "namespace": "default"}})"},
        io::Deadline::never()));
  }
};

TEST(Disruption, CountsWhatIsHealthyAndWhatMayGo) {
  Budgeted b(R"("maxUnavailable": 1)");
  EXPECT_EQ(b.status("expectedPods"), 3);
  EXPECT_EQ(b.status("currentHealthy"), 3);
  EXPECT_EQ(b.status("desiredHealthy"), 2);
  EXPECT_EQ(b.status("disruptionsAllowed"), 1);
  EXPECT_EQ(b.condition("poddisruptionbudgets", "b", "DisruptionAllowed"), "True/SufficientPods");
}

TEST(Disruption, PercentagesRoundUp) {
  Budgeted b(R"("minAvailable": "50%")");
  EXPECT_EQ(b.status("desiredHealthy"), 2);
}

TEST(Eviction, IsGrantedOnceAndThenRefusedWith429) {
  Budgeted b(R"("maxUnavailable": 1)");
  b.runtime.deaf = {"main"};
  EXPECT_EQ(b.evict_by_request("s-0").status, 201U);
  EXPECT_TRUE(kube::is_deleting(b.get("pods", "s-0")));
  EXPECT_EQ(b.condition("pods", "s-0", "DisruptionTarget"), "True/EvictionByEvictionAPI");
  b.settle(seconds(1));
  const io::HttpResponse second = b.evict_by_request("s-1");
  EXPECT_EQ(second.status, 429U);
  const json::object refusal = object_of(second.body);
  EXPECT_EQ(wire::find_string(refusal, "reason"), "TooManyRequests");
  EXPECT_EQ(wire::find_string(refusal, "message"),
            "Cannot evict pod as it would violate the pod's disruption budget.");
  const json::object& cause = (*wire::find_array(refusal, "details.causes"))[0].as_object();
  EXPECT_EQ(wire::find_string(cause, "reason"), "DisruptionBudget");
  EXPECT_THAT(std::string(wire::find_string(cause, "message")),
              HasSubstr("The disruption budget b needs 2 healthy pods and has 2 currently"));
  b.settle(minutes(2));
  EXPECT_EQ(b.evict_by_request("s-1").status, 201U) << "s-0 is back";
}

TEST(Eviction, TwoAtOnceDoNotShareOneDisruption) {
  Budgeted b(R"("maxUnavailable": 1)");
  EXPECT_EQ(b.evict_by_request("s-0").status, 201U);
  EXPECT_EQ(b.evict_by_request("s-1").status, 429U) << "the controller has not looked yet";
}

TEST(Eviction, OfAnUnhealthyPodNeedsAHealthyApplication) {
  Budgeted b(R"("minAvailable": 3)");
  b.runtime.silent = {"main"};
  b.settle(seconds(10));
  EXPECT_EQ(b.evict_by_request("s-0").status, 429U);
  b.patch("poddisruptionbudgets", "b",
          R"({"spec": {"unhealthyPodEvictionPolicy": "AlwaysAllow"}})");
  b.settle(seconds(5));
  EXPECT_EQ(b.evict_by_request("s-0").status, 201U);
}

TEST(Eviction, WithTwoBudgetsIsAnError) {
  Budgeted b(R"("maxUnavailable": 1)");
  b.make("poddisruptionbudgets", R"({"metadata": {"name": "c"}, "spec": {"maxUnavailable": 1,
    "selector": {"matchLabels": {"app": "s"}}}})");
  b.settle(seconds(5));
  const io::HttpResponse refused = b.evict_by_request("s-0");
  EXPECT_EQ(refused.status, 500U);
  EXPECT_THAT(refused.body, HasSubstr("more than one PodDisruptionBudget"));
}

TEST(Eviction, OfAPodThatIsNotThereIs404) {
  Budgeted b(R"("maxUnavailable": 1)");
  EXPECT_EQ(b.evict_by_request("nobody").status, 404U);
}

TEST(Drain, EmptiesANodeAsFastAsTheBudgetAllows) {
  Budgeted b(R"("maxUnavailable": 1)");
  for (int i = 0; i < 60 && b.cluster.drain("worker-1") > 0; ++i) b.settle(seconds(5));
  EXPECT_EQ(b.cluster.drain("worker-1"), 0U);
  b.settle(seconds(20));
  for (const char* pod : {"s-0", "s-1", "s-2"}) {
    EXPECT_EQ(b.text("pods", pod, "spec.nodeName"), "worker-2");
  }
}

}  // namespace
}  // namespace davit::sim
