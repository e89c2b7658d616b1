#include "operands/blocknode/plan.hpp"

#include <gmock/gmock.h>

#include "operands/blocknode/fleet.hpp"
#include "operands/blocknode/test_nodes.hpp"

namespace davit::blocknode {
namespace {

using namespace testing;  // NOLINT
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

bool restarts(const Plan& plan) {
  return std::ranges::any_of(plan.actions, [](const Action& action) {
    return std::holds_alternative<RestartPod>(action);
  });
}

// The spec changes, and the StatefulSet has been applied and seen by its controller.
void change_config(Healthy& healthy) {
  healthy.snapshot.node.spec.extra_config["SERVER_BACKLOG_SIZE"] = "128";
  json::object set = build_statefulset(sample_input(healthy.snapshot.node));
  set["metadata"].as_object()["generation"] = 2;
  set["status"] = json::object{{"observedGeneration", 2}};
  healthy.snapshot.statefulset = shared(std::move(set));
}

TEST(Plan, HealthyNodeOnlyAppliesWhatTheApplierSkips) {
  const Healthy healthy;
  EXPECT_THAT(
      described(healthy.plan()),
      ElementsAre("apply serviceaccounts/bn1", "apply configmaps/bn1-config",
                  "apply configmaps/bn1-files", "apply services/bn1-headless", "apply services/bn1",
                  "apply statefulsets/bn1", "apply poddisruptionbudgets/davit-solo-tier1"));
}

TEST(Plan, ProblemsChangeNothing) {
  Healthy healthy;
  healthy.snapshot.problems.push_back({"spec.extraConfig[X]", "unknown"});
  EXPECT_THAT(healthy.plan().actions, IsEmpty());
  EXPECT_EQ(healthy.plan().problems.size(), 1U);
}

TEST(Plan, ShrinkChangesNothing) {
  Healthy healthy;
  healthy.snapshot.node.spec.storage.live.size = "1Gi";
  healthy.refresh_claims();
  EXPECT_THAT(healthy.plan().actions, IsEmpty());
}

TEST(Plan, DeletingNodeIsLeftAlone) {
  Healthy healthy;
  healthy.snapshot.node.deleting = true;
  EXPECT_THAT(healthy.plan().actions, IsEmpty());
}

TEST(Plan, ChangedConfigurationRestartsThePodOnce) {
  Healthy healthy;
  EXPECT_FALSE(restarts(healthy.plan()));
  change_config(healthy);
  EXPECT_TRUE(restarts(healthy.plan()));
  healthy.with_pod([](json::object& pod) {
    pod["metadata"].as_object()["deletionTimestamp"] = "2026-01-01T00:00:00Z";
  });
  EXPECT_FALSE(restarts(healthy.plan()));
}

TEST(Plan, RestartWaitsUntilTheStatefulSetControllerHasTheTemplate) {
  Healthy healthy;
  change_config(healthy);
  json::object set = *healthy.snapshot.statefulset;
  set["metadata"].as_object()["generation"] = 3;
  healthy.snapshot.statefulset = shared(std::move(set));
  EXPECT_FALSE(restarts(healthy.plan()));
  EXPECT_EQ(healthy.plan().restart, Restart::kWaits);
}

TEST(Plan, RestartWaitsForTheSlotOfTheGroup) {
  Healthy healthy;
  change_config(healthy);
  healthy.snapshot.group = {{{"other", "bn9"}, true}, {{"other", "bn8"}, false}};
  const Plan plan = healthy.plan();
  EXPECT_FALSE(restarts(plan));
  EXPECT_THAT(plan.slot_holders, ElementsAre("other/bn9"));
  EXPECT_EQ(condition(healthy.update(), "ConfigurationApplied").reason, "RestartPending");
  EXPECT_EQ(condition(healthy.update(), "Ready").status, "True");
  EXPECT_EQ(condition(healthy.update(), "Reconciling").status, "False");
}

TEST(Plan, UnreadyPodNeedsNoSlotSoThatACorrectedImageTakesEffect) {
  Healthy healthy;
  change_config(healthy);
  healthy.snapshot.group = {{{"other", "bn9"}, true}};
  healthy.with_pod([](json::object& pod) {
    pod["status"].as_object()["conditions"] =
        json::array{json::object{{"type", "Ready"}, {"status", "False"}}};
  });
  EXPECT_TRUE(restarts(healthy.plan()));
}

TEST(Plan, UpgradingDavitRestartsNothing) {
  Healthy healthy;
  healthy.settings.davit_image = "registry.example/davit:9.9.9";
  const Plan plan = healthy.plan();
  EXPECT_EQ(plan.wanted_template, wire::find_object(*healthy.snapshot.pod, "metadata.annotations")
                                      ->at(kTemplateAnnotation)
                                      .as_string());
  EXPECT_FALSE(restarts(plan));
}

TEST(Plan, ThePodKeepsThePinWhenTheStatefulSetIsLost) {
  Healthy healthy;
  healthy.settings.davit_image = "registry.example/davit:9.9.9";
  healthy.snapshot.statefulset = nullptr;
  EXPECT_EQ(healthy.plan().wanted_template,
            wire::find_object(*healthy.snapshot.pod, "metadata.annotations")
                ->at(kTemplateAnnotation)
                .as_string());
}

TEST(Plan, APodOfANewerDavitIsLeftAlone) {
  Healthy healthy;
  json::object set = *healthy.snapshot.statefulset;
  set["metadata"].as_object()["annotations"].as_object()[kCompatibilityAnnotation] = "7.0.0";
  healthy.snapshot.statefulset = shared(std::move(set));
  EXPECT_THAT(healthy.plan().actions, IsEmpty());
  EXPECT_EQ(condition(healthy.update(), "VersionSupported").reason, "FormUnknown");
}

TEST(Plan, BudgetsWithoutMembersGo) {
  Healthy healthy;
  healthy.snapshot.stale_budgets = {
      {.key = {"hiero", "davit-old"}, .uid = Uid{"u"}, .version = ResourceVersion{"7"}}};
  const Plan plan = healthy.plan();
  EXPECT_THAT(described(plan), Contains("delete poddisruptionbudgets/davit-old"));
  for (const Action& action : plan.actions) {
    const auto* removal = std::get_if<RemoveBudget>(&action);
    if (removal == nullptr) continue;
    EXPECT_EQ(removal->uid.value, "u");
    EXPECT_EQ(removal->version.value, "7");
  }
}

TEST(Plan, VolumesOfDataAreRetainedOnceRead) {
  Healthy healthy;
  healthy.snapshot.reclaim_policies.clear();
  EXPECT_THAT(described(healthy.plan()), Contains("retain persistentvolumes/pv-live"));
  EXPECT_THAT(described(healthy.plan()), Not(Contains("retain persistentvolumes/pv-logs")));
}

TEST(Plan, NameThatCannotCarryChildrenIsAProblem) {
  Healthy healthy(sample_node("9bn"));
  EXPECT_THAT(healthy.plan().actions, IsEmpty());
  EXPECT_THAT(healthy.plan().problems[0].message, HasSubstr("start with a letter"));
}

TEST(Fleet, SlotIsHeldUntilTheDeletedPodIsGone) {
  Fleet fleet;
  const ObjectKey key{"ns", "a"};
  fleet.reserve(key, Uid("pod-1"), kStart);
  EXPECT_TRUE(fleet.reserved(key, Uid("pod-1"), kStart));
  EXPECT_FALSE(fleet.reserved(key, Uid("pod-2"), kStart));
  EXPECT_FALSE(fleet.reserved(key, Uid("pod-1"), kStart + std::chrono::minutes(2)));
}

TEST(Fleet, MovingToAnotherGroupLeavesTheOld) {
  Fleet fleet;
  fleet.put({{"ns", "a"}, Uid("u"), "g1", false});
  fleet.put({{"ns", "a"}, Uid("u"), "g2", false});
  EXPECT_TRUE(fleet.group("g1").empty());
  EXPECT_EQ(fleet.group_in("g2", "ns").size(), 1U);
  EXPECT_TRUE(fleet.group_in("g2", "other").empty());
}

}  // namespace
}  // namespace davit::blocknode
