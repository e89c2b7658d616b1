// The real controller where the API server refuses, fails, or Davit dies: same end, no hot loop.
#include <gmock/gmock.h>

#include "operands/blocknode/scenario_world.hpp"

namespace davit::blocknode {
namespace {

using namespace testing;  // NOLINT
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

constexpr auto kSettle = minutes(3);

// Davit as `world` has it, without the rights on one kind.
void restart_without(World& world, const kube::Resource& resource) {
  std::vector<kube::Access> rows;
  for (const kube::Access& row : kAccess) {
    if (row.resource != resource) rows.push_back(row);
  }
  world.server.access().clear("davit");
  world.server.access().allow("davit", kube::AccessTable(rows));
  world.restart();
}

TEST(ScenarioFaults, MissingPermissionIsNamedAndTheRestGoesOn) {
  World world;
  restart_without(world, kube::kPodDisruptionBudgets);
  world.create(sample_node());
  world.advance(kSettle);
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_EQ(world.word("bn1", "Stalled"), "True/PermissionMissing");
  EXPECT_FALSE(world.exists(kube::kPodDisruptionBudgets, "davit-solo-tier1"));
  world.server.clear_log();
  world.advance(minutes(2));
  EXPECT_LE(world.server.log().size(), 16U);  // retried every 30 s, no hot loop
  world.server.access().allow("davit", kube::AccessTable(kAccess));
  world.advance(minutes(2));
  EXPECT_EQ(world.word("bn1", "Stalled"), "False/Settled");
  EXPECT_TRUE(world.exists(kube::kPodDisruptionBudgets, "davit-solo-tier1"));
}

TEST(ScenarioFaults, WithoutRightsOnVolumesDataIsSaidToBeUnprotected) {
  World world;
  world.create(sample_node());
  world.advance(kSettle);
  restart_without(world, kube::kPersistentVolumes);
  world.advance(minutes(1));
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
  EXPECT_EQ(world.word("bn1", "DataProtected"), "False/Unprotected");
  world.server.clear_log();
  world.advance(minutes(2));
  EXPECT_LE(world.server.log().size(), 16U);
  world.server.access().allow("davit", kube::AccessTable(kAccess));
  world.advance(minutes(1));
  EXPECT_EQ(world.word("bn1", "DataProtected"), "True/Retained");
}

TEST(ScenarioFaults, NoFreshVolumeOnAGuessWhenKeptOnesCannotBeLookedFor) {
  World world;
  restart_without(world, kube::kPersistentVolumes);
  world.create(sample_node());
  world.advance(minutes(1));
  EXPECT_EQ(world.word("bn1", "Ready"), "False/PermissionMissing");
  EXPECT_FALSE(world.exists(kube::kPersistentVolumeClaims, "bn1-live"));
  EXPECT_FALSE(world.exists(kube::kStatefulSets, "bn1"));
}

TEST(ScenarioFaults, ApiServerOutageIsSurvived) {
  World world;
  world.create(sample_node());
  world.advance(seconds(2));
  world.server.set_down(true);
  world.advance(minutes(5));
  world.server.set_down(false);
  world.advance(minutes(10));
  EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
}

// A life with a change in it: created, settled, reconfigured and grown.
void live(World& world) {
  world.create(sample_node());
  world.advance(seconds(40));
  world.edit_node("bn1", [](json::object& spec) {
    spec["extraConfig"] = json::object{{"SERVER_BACKLOG_SIZE", "256"}};
    wire::ensure_object(spec, "storage.live")["size"] = "6Gi";
  });
  world.advance(seconds(80));
}

constexpr auto kShortHold = seconds(5);

TEST(ScenarioFaults, CrashAtEveryWriteComesToTheSameEnd) {
  std::string expected;
  std::size_t writes = 0;
  {
    World world(1, kShortHold);
    live(world);
    expected = outcome(world);
    writes = world.writes();
  }
  EXPECT_THAT(expected, HasSubstr("Ready True/Serving"));
  ASSERT_GT(writes, 10U);
  for (std::size_t at = 1; at <= writes; ++at) {
    World world(1, kShortHold);
    std::size_t seen = 0;
    world.server.set_faults([&](const sim::RequestInfo& request) {
      sim::Fault fault;
      if (request.user == "davit" && request.is_write && ++seen == at) {
        // The write has its effect, and Davit dies before it hears of it.
        fault.lose_reply = Error(Code::kUnavailable, "gone");
        world.crash_soon();
      }
      return fault;
    });
    live(world);
    EXPECT_EQ(outcome(world), expected) << "crash at write " << at;
  }
}

TEST(ScenarioFaults, FailingRequestsComeToTheSameEnd) {
  std::string expected;
  {
    World world(1, kShortHold);
    live(world);
    expected = outcome(world);
  }
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    World world(seed, kShortHold);
    SeededRandom dice(seed);
    world.server.set_faults([&](const sim::RequestInfo& request) {
      sim::Fault fault;
      if (request.user != "davit") return fault;
      switch (dice.below(12)) {
        case 0:
          fault.lose_reply = Error(Code::kUnavailable, "cut");
          break;
        case 1:
          fault.fail_before = Error(Code::kDeadlineExceeded, "no answer");
          break;
        case 2:
          fault.delay_before = seconds(dice.below(3));
          break;
        default:
          break;
      }
      return fault;
    });
    live(world);
    world.server.set_faults({});
    world.advance(minutes(6));
    EXPECT_EQ(outcome(world), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace davit::blocknode
