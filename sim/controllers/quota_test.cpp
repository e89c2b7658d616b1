// Quotas: https://kubernetes.io/docs/concepts/policy/resource-quotas/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::seconds;

struct Quotas : ControllersBench {
  void quota(const std::string& hard) {
    make("resourcequotas", R"({"metadata": {"name": "q"}, "spec": {"hard": {)" + hard + "}}}");
    settle(seconds(5));
  }
  std::string used(const char* resource) {
    const json::object object = get("resourcequotas", "q");
    const json::object* all = wire::find_object(object, "status.used");
    return all && all->contains(resource) ? std::string(all->at(resource).as_string()) : "none";
  }
  // The refusal, or "".
  std::string claim(const std::string& name, const std::string& size) {
    try {
      make("persistentvolumeclaims", R"({"metadata": {"name": ")" + name +
                                         R"("}, "spec": {"resources": {"requests": {"storage": ")" +
                                         size + R"("}}}})");
    } catch (const std::exception& error) {
      return error.what();
    }
    settle(seconds(5));
    return "";
  }
};

TEST(Quota, CountsWhatIsUsed) {
  Quotas b;
  b.quota(R"("pods": "5", "requests.storage": "10Gi", "count/configmaps": "3")");
  b.make("pods", bare_pod());
  b.claim("c", "3Gi");
  b.make("configmaps", R"({"metadata": {"name": "m"}})");
  b.settle(seconds(5));
  EXPECT_EQ(b.used("pods"), "1");
  EXPECT_EQ(b.used("requests.storage"), "3Gi");
  EXPECT_EQ(b.used("count/configmaps"), "1");
}

TEST(Quota, RefusesWhatWouldBeTooMuchAndSaysHowMuch) {
  Quotas b;
  b.quota(R"("requests.storage": "5Gi")");
  EXPECT_EQ(b.claim("a", "3Gi"), "");
  EXPECT_EQ(b.claim("b", "3Gi"),
            "persistentvolumeclaims \"b\" is forbidden: exceeded quota: q, requested: "
            "requests.storage=3Gi, used: requests.storage=3Gi, limited: requests.storage=5Gi");
  EXPECT_EQ(b.claim("c", "2Gi"), "");
}

TEST(Quota, AlsoHoldsForAClaimThatGrows) {
  Quotas b;
  b.quota(R"("requests.storage": "5Gi")");
  b.claim("a", "3Gi");
  EXPECT_ANY_THROW(b.patch("persistentvolumeclaims", "a",
                           R"({"spec": {"resources": {"requests": {"storage": "6Gi"}}}})"));
  b.patch("persistentvolumeclaims", "a",
          R"({"spec": {"resources": {"requests": {"storage": "5Gi"}}}})");
}

TEST(Quota, AFinishedPodDoesNotCount) {
  Quotas b;
  b.quota(R"("pods": "1")");
  b.runtime.exits["main"] = 0;
  b.make("pods", bare_pod("", R"("restartPolicy": "Never", )"));
  b.settle(seconds(10));
  EXPECT_EQ(b.used("pods"), "0");
}

TEST(Quota, AStatefulSetGetsItsPodWhenThereIsRoom) {
  Quotas b;
  b.quota(R"("pods": "0")");
  b.make("statefulsets", R"({"metadata": {"name": "s"}, "spec": {"serviceName": "s",
    "selector": {"matchLabels": {"app": "s"}}, "template": )" +
                             pod_template("s") + "}}");
  b.settle(seconds(30));
  EXPECT_FALSE(b.exists("pods", "s-0"));
  b.patch("resourcequotas", "q", R"({"spec": {"hard": {"pods": "1"}}})");
  b.settle(seconds(30));
  EXPECT_TRUE(b.exists("pods", "s-0"));
}

}  // namespace
}  // namespace davit::sim
