// The real controller against the simulated API server, on virtual time.
#include <gmock/gmock.h>

#include "operands/blocknode/pod_facts.hpp"
#include "operands/blocknode/scenario_world.hpp"

namespace davit::blocknode {
namespace {

using namespace testing;  // NOLINT
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;

constexpr auto kSettle = minutes(3);

TEST(Scenario, NewNodeBecomesReady) {
  World world;
  world.create(sample_node());
  world.advance(seconds(30));
  EXPECT_EQ(world.word("bn1", "Ready"), "False/Verifying");
  world.advance(kSettle);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_EQ(world.word("bn1", "Ingesting"), "Unknown/AwaitingFirstPublisher");
  EXPECT_EQ(world.word("bn1", "ConfigurationApplied"), "True/Applied");
  EXPECT_EQ(world.word("bn1", "DataProtected"), "True/Retained");
  for (const char* suffix : {"live", "historic", "application-state", "logs", "plugins"}) {
    EXPECT_TRUE(world.exists(kube::kPersistentVolumeClaims, fmt::format("bn1-{}", suffix)));
  }
  EXPECT_TRUE(world.exists(kube::kPodDisruptionBudgets, "davit-solo-tier1"));
}

TEST(Scenario, ANewNodeWarnsOfNothing) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  for (const auto& [key, event] :
       world.server.store().all(*world.server.registry().find(kube::kEvents))) {
    EXPECT_EQ(wire::find_string(*event, "type"), "Normal") << wire::canonical(*event);
  }
  EXPECT_EQ(wire::find(world.get(kBlockNodes, {"hiero", "bn1"}), "status.lastError"), nullptr);
}

TEST(Scenario, QuietNodeCausesNoWrites) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  world.server.clear_log();
  world.advance(minutes(10));
  EXPECT_EQ(world.writes(), 0U);
}

TEST(Scenario, RestartOfDavitCausesNoWrites) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  world.server.clear_log();
  world.restart();
  world.advance(minutes(10));
  EXPECT_EQ(world.writes(), 0U);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
}

TEST(Scenario, TenBlocksASecondCauseAtMostTwelveWritesAnHour) {
  World world;
  world.probe.publishers = 1;
  world.probe.last = 0;
  std::function<void()> publish = [&] {
    *world.probe.last += 10;
    world.loop.call_after(seconds(1), publish);
  };
  publish();
  world.create(sample_node());
  world.advance(minutes(10));
  EXPECT_EQ(world.word("bn1", "Ingesting"), "True/Ingesting");
  world.server.clear_log();
  world.advance(hours(1));
  EXPECT_LE(world.writes(), 12U);
  EXPECT_GE(world.writes(), 10U);
}

TEST(Scenario, BadSettingLeavesTheRunningNodeAlone) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  const std::string pod = world.pod_uid("bn1");
  world.edit_node(
      "bn1", [](json::object& spec) { spec["extraConfig"] = json::object{{"SERVER_PRT", "1"}}; });
  world.advance(seconds(5));
  EXPECT_EQ(world.word("bn1", "ConfigurationApplied"), "False/ConfigurationInvalid");
  EXPECT_EQ(world.word("bn1", "Stalled"), "True/ConfigurationInvalid");
  world.server.clear_log();
  world.advance(minutes(10));
  EXPECT_EQ(world.writes(), 0U);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_EQ(world.pod_uid("bn1"), pod);
  world.edit_node("bn1", [](json::object& spec) { spec.erase("extraConfig"); });
  world.advance(seconds(5));
  EXPECT_EQ(world.word("bn1", "ConfigurationApplied"), "True/Applied");
  EXPECT_EQ(world.pod_uid("bn1"), pod);
}

TEST(Scenario, InvalidNewNodeGetsNoChildren) {
  World world;
  BlockNode node = sample_node();
  node.spec.extra_config["SERVER_PRT"] = "1";
  world.create(node);
  world.advance(seconds(10));
  EXPECT_EQ(world.word("bn1", "Ready"), "False/ConfigurationInvalid");
  EXPECT_FALSE(world.exists(kube::kStatefulSets, "bn1"));
  EXPECT_FALSE(world.exists(kube::kPersistentVolumeClaims, "bn1-live"));
}

TEST(Scenario, ChangedSettingRestartsThePod) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  const std::string pod = world.pod_uid("bn1");
  world.edit_node("bn1", [](json::object& spec) {
    spec["extraConfig"] = json::object{{"SERVER_BACKLOG_SIZE", "256"}};
  });
  world.advance(kSettle);
  EXPECT_NE(world.pod_uid("bn1"), pod);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_THAT(world.event_reasons(), Contains("PodRestarted"));
}

TEST(Scenario, NodesOfAGroupRestartOneAfterTheOther) {
  World world;
  for (const char* name : {"bn1", "bn2", "bn3"}) world.create(sample_node(name));
  world.advance(kSettle);
  std::map<std::string, std::string> before;
  for (const char* name : {"bn1", "bn2", "bn3"}) before[name] = world.pod_uid(name);
  for (const char* name : {"bn1", "bn2", "bn3"}) {
    world.edit_node(name, [](json::object& spec) {
      spec["extraConfig"] = json::object{{"SERVER_BACKLOG_SIZE", "256"}};
    });
  }
  for (int i = 0; i < 1200; ++i) {
    world.advance(seconds(1));
    int down = 0;
    for (const char* name : {"bn1", "bn2", "bn3"}) {
      down += world.word(name, "Ready").starts_with("False") ? 1 : 0;
    }
    ASSERT_LE(down, 1);
  }
  for (const char* name : {"bn1", "bn2", "bn3"}) {
    EXPECT_NE(world.pod_uid(name), before[name]) << name;
    EXPECT_EQ(world.word(name, "ConfigurationApplied"), "True/Applied");
  }
}

TEST(Scenario, DriftIsCorrectedAndOtherEditsAreKept) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  const std::string before = outcome(world);
  world.edit(kube::kStatefulSets, {"hiero", "bn1"}, [](json::object& set) {
    wire::ensure_object(set, "metadata.annotations")["team"] = "core";
    set["spec"].as_object()["replicas"] = 0;
  });
  world.edit(kube::kServices, {"hiero", "bn1"},
             [](json::object& service) { service["spec"].as_object()["type"] = "NodePort"; });
  world.remove(kube::kConfigMaps, {"hiero", "bn1-files"});
  world.remove(kube::kPodDisruptionBudgets, {"hiero", "davit-solo-tier1"});
  world.advance(seconds(10));
  EXPECT_EQ(outcome(world), before);
  EXPECT_EQ(annotation_of(world.get(kube::kStatefulSets, {"hiero", "bn1"}), "team"), "core");
}

TEST(Scenario, DeletionKeepsTheClaimsAndSaysSo) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  world.remove(kBlockNodes, {"hiero", "bn1"});
  world.advance(seconds(30));
  EXPECT_FALSE(world.exists(kube::kStatefulSets, "bn1"));
  EXPECT_TRUE(world.exists(kube::kPersistentVolumeClaims, "bn1-live"));
  EXPECT_THAT(world.event_reasons(), Contains("ClaimsKept"));

  const std::string claim =
      kube::uid_of(world.get(kube::kPersistentVolumeClaims, {"hiero", "bn1-live"})).value;
  world.create(sample_node());
  world.advance(kSettle);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_EQ(kube::uid_of(world.get(kube::kPersistentVolumeClaims, {"hiero", "bn1-live"})).value,
            claim);
}

TEST(Scenario, DeletionUnderPolicyDeleteTakesTheClaims) {
  World world;
  BlockNode node = sample_node();
  node.spec.policies.deletion = "Delete";
  world.create(node);
  world.advance(kSettle);
  EXPECT_EQ(world.word("bn1", "DataProtected"), "False/DeletedWithNode");
  world.remove(kBlockNodes, {"hiero", "bn1"});
  world.advance(seconds(30));
  EXPECT_FALSE(world.exists(kube::kPersistentVolumeClaims, "bn1-live"));
}

TEST(Scenario, OrphanedPodGoesOnRunningAndIsTakenBackWithoutRestart) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  const std::string pod = world.pod_uid("bn1");
  world.edit_node(
      "bn1", [](json::object& spec) { spec["policies"] = json::object{{"deletion", "Orphan"}}; });
  world.advance(seconds(5));
  world.remove(kBlockNodes, {"hiero", "bn1"});
  world.advance(minutes(1));
  EXPECT_EQ(world.pod_uid("bn1"), pod);
  world.create(sample_node());
  world.advance(kSettle);
  EXPECT_EQ(world.pod_uid("bn1"), pod);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
}

TEST(Scenario, ClaimGrowsByPatch) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  const std::string pod = world.pod_uid("bn1");
  world.edit_node(
      "bn1", [](json::object& spec) { wire::ensure_object(spec, "storage.live")["size"] = "6Gi"; });
  world.advance(seconds(30));
  const json::object claim = world.get(kube::kPersistentVolumeClaims, {"hiero", "bn1-live"});
  EXPECT_EQ(wire::find_string(claim, "spec.resources.requests.storage"), "6Gi");
  EXPECT_EQ(world.word("bn1", "StorageHealthy"), "True/Healthy");
  EXPECT_EQ(world.pod_uid("bn1"), pod);
}

TEST(Scenario, ForeignServiceOfTheSameNameIsNotTaken) {
  World world;
  json::object service{{"apiVersion", "v1"},
                       {"kind", "Service"},
                       {"metadata", json::object{{"name", "bn1-headless"}, {"namespace", "hiero"}}},
                       {"spec", json::object{{"ports", json::array{json::object{{"port", 1}}}}}}};
  (void)world.server.operations().create(*world.server.registry().find(kube::kServices), "hiero",
                                         service, {.manager = "user"});
  world.create(sample_node());
  world.advance(seconds(10));
  EXPECT_EQ(world.word("bn1", "Ready"), "False/NameTaken");
  EXPECT_EQ(label_of(world.get(kube::kServices, {"hiero", "bn1-headless"}), kManagedByLabel), "");
  world.server.clear_log();
  world.advance(minutes(10));
  EXPECT_EQ(world.writes(), 0U);
  world.remove(kube::kServices, {"hiero", "bn1-headless"});
  world.advance(minutes(10));
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
}

TEST(Scenario, LostClaimsFindTheVolumesTheyHad) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  const auto volume_of = [&](const char* claim) {
    return std::string(wire::find_string(world.get(kube::kPersistentVolumeClaims, {"hiero", claim}),
                                         "spec.volumeName"));
  };
  const std::string live = volume_of("bn1-live");
  const std::string historic = volume_of("bn1-historic");
  world.remove(kBlockNodes, {"hiero", "bn1"});
  world.advance(seconds(5));
  for (const char* suffix : {"live", "historic", "application-state", "logs", "plugins"}) {
    world.remove(kube::kPersistentVolumeClaims, {"hiero", fmt::format("bn1-{}", suffix)});
  }
  world.advance(seconds(5));
  world.create(sample_node());
  world.advance(kSettle);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_EQ(volume_of("bn1-live"), live);
  EXPECT_EQ(volume_of("bn1-historic"), historic);
}

TEST(Scenario, FaultsOfTheNodeAreToldWithinThirtySecondsAndEndByThemselves) {
  World world;
  world.probe.publishers = 1;
  world.probe.last = 10;
  world.create(sample_node());
  world.advance(kSettle);
  const auto expect = [&](std::string_view type, std::string_view word) {
    world.advance(seconds(30));
    EXPECT_EQ(world.word("bn1", type), word);
  };
  expect("Ingesting", "False/StandsStill");
  world.probe.last = 11;
  world.advance(seconds(11));
  EXPECT_EQ(world.word("bn1", "Ingesting"), "True/Ingesting");
  world.probe.healthy = false;
  expect("Ready", "False/Unhealthy");
  world.probe.healthy = true;
  world.probe.full = true;
  expect("Ready", "False/VolumeFull");
  EXPECT_EQ(world.word("bn1", "StorageHealthy"), "False/VolumeFull");
  world.probe.full = false;
  world.advance(minutes(2));
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  world.probe.reachable = false;
  expect("Ready", "Unknown/ProbeUnreachable");
  world.probe.reachable = true;
  world.advance(minutes(2));
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
}

TEST(Scenario, PendingClaimIsToldAndEndsByItself) {
  World world;
  world.binder_runs = false;
  world.kubelet_runs = false;
  world.create(sample_node());
  world.advance(seconds(30));
  EXPECT_EQ(world.word("bn1", "Ready"), "False/ClaimPending");
  world.server.clear_log();
  world.advance(minutes(10));
  EXPECT_LE(world.writes(), 2U);  // Stalled after 5 minutes
  EXPECT_EQ(world.word("bn1", "Stalled"), "True/ClaimPending");
  world.binder_runs = true;
  world.kubelet_runs = true;
  world.edit(kube::kPersistentVolumeClaims, {"hiero", "bn1-live"}, [](json::object& claim) {
    wire::ensure_object(claim, "metadata.annotations")["nudge"] = "the cluster";
  });
  world.advance(kSettle);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
}

TEST(Scenario, LostStatusIsRebuilt) {
  World world;
  world.probe.last = 42;
  world.create(sample_node());
  world.advance(kSettle);
  const std::string pod = world.pod_uid("bn1");
  world.edit(
      kBlockNodes, {"hiero", "bn1"}, [](json::object& node) { node.erase("status"); }, "status");
  world.advance(kSettle);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_EQ(wire::find_int(world.get(kBlockNodes, {"hiero", "bn1"}), "status.lastBlock"), 42);
  EXPECT_EQ(world.pod_uid("bn1"), pod);
}

}  // namespace
}  // namespace davit::blocknode
