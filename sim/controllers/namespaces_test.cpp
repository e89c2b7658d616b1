// The end of a namespace:
// https://kubernetes.io/docs/concepts/overview/working-with-objects/namespaces/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Ending : ControllersBench {
  ObjectKey pod{"n", "s-0"};
  Ending() {
    server.add_namespace("n");
    for (const auto& [plural, text] :
         {std::pair<const char*, std::string>("statefulsets",
                                              R"({"metadata": {"name": "s"}, "spec": {"serviceName":
      "s", "selector": {"matchLabels": {"app": "s"}}, "template": )" +
                                                  pod_template("s") + "}}"),
          std::pair<const char*, std::string>("persistentvolumeclaims",
                                              R"({"metadata": {"name": "c"}, "spec": {"resources":
      {"requests": {"storage": "1Gi"}}}})"),
          std::pair<const char*, std::string>("configmaps", R"({"metadata": {"name": "m"}})")}) {
      (void)server.operations().create(type(plural), "n", object_of(text), {});
    }
    settle(seconds(20));
  }
  bool there(const char* plural, const char* name) {
    return server.store().get(type(plural), {"n", name}) != nullptr;
  }
};

TEST(Namespace, ItsEndTakesAllOfItsContent) {
  Ending b;
  ASSERT_TRUE(b.there("pods", "s-0"));
  b.remove("namespaces", "n");
  b.settle(minutes(2));
  for (const auto& [plural, name] :
       {std::pair("pods", "s-0"), std::pair("statefulsets", "s"),
        std::pair("persistentvolumeclaims", "c"), std::pair("configmaps", "m")}) {
    EXPECT_FALSE(b.there(plural, name)) << plural;
  }
  EXPECT_FALSE(b.exists("namespaces", "n"));
  EXPECT_TRUE(b.names("persistentvolumes").empty()) << "its class says Delete";
}

TEST(Namespace, WaitsForPodsToEndWithinTheirGrace) {
  Ending b;
  b.runtime.deaf = {"main"};
  b.remove("namespaces", "n");
  b.settle(seconds(20));
  EXPECT_EQ(b.text("namespaces", "n", "status.phase"), "Terminating");
  EXPECT_TRUE(b.there("pods", "s-0"));
  EXPECT_FALSE(b.there("configmaps", "m"));
  b.settle(seconds(30));
  EXPECT_FALSE(b.exists("namespaces", "n"));
}

TEST(Namespace, WithTheControllerManagerDownNothingHappensUntilItIsBack) {
  Ending b;
  b.cluster.set_component_enabled("kube-controller-manager", false);
  b.remove("namespaces", "n");
  b.settle(minutes(5));
  EXPECT_TRUE(b.there("configmaps", "m"));
  b.cluster.set_component_enabled("kube-controller-manager", true);
  b.settle(minutes(2));
  EXPECT_FALSE(b.exists("namespaces", "n"));
}

}  // namespace
}  // namespace davit::sim
