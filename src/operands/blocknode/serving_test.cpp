// Every way a node can fail to serve, told with the right word.
#include "operands/blocknode/serving.hpp"

#include <gmock/gmock.h>

#include "operands/blocknode/test_nodes.hpp"

namespace davit::blocknode {
namespace {

using namespace testing;  // NOLINT
using ::testing::HasSubstr;

std::string reason_of(const Healthy& healthy) {
  const auto verdict = judge_serving(healthy.snapshot, healthy.plan());
  return verdict ? std::string(verdict->reason->name) : "(not asked)";
}
std::string message_of(const Healthy& healthy) {
  const auto verdict = judge_serving(healthy.snapshot, healthy.plan());
  return verdict ? verdict->message : "";
}

void server_state(Healthy& healthy, json::object state, json::object last = {},
                  std::int64_t restarts = 1) {
  healthy.with_pod([&](json::object& pod) {
    json::object& status = *container_status(pod, "server");
    status["state"] = std::move(state);
    status["started"] = false;
    status["restartCount"] = restarts;
    if (!last.empty()) status["lastState"] = std::move(last);
  });
}

json::object waiting(std::string_view reason, std::string_view message = "") {
  return {{"waiting", json::object{{"reason", reason}, {"message", message}}}};
}
json::object terminated(std::int64_t code, std::string_view reason, std::string_view message) {
  return {{"terminated", json::object{{"exitCode", code},
                                      {"reason", reason},
                                      {"message", message},
                                      {"finishedAt", "2026-01-01T00:00:00Z"}}}};
}

Healthy answering(const std::function<void(Round&)>& change) {
  Healthy healthy;
  Round round = good_round();
  change(round);
  fold(healthy.snapshot.observation, round, kStart);
  if (round.lost()) fold(healthy.snapshot.observation, round, kStart);  // one is not believed
  return healthy;
}

TEST(Serving, HealthyNodeServes) { EXPECT_EQ(reason_of(Healthy()), "Serving"); }

TEST(Serving, ImageThatDoesNotExistIsNamed) {
  for (const char* reason : {"ErrImagePull", "ImagePullBackOff", "InvalidImageName"}) {
    Healthy healthy;
    server_state(healthy, waiting(reason), {}, 0);
    EXPECT_EQ(reason_of(healthy), "ImagePullFailed");
    EXPECT_THAT(message_of(healthy), HasSubstr("registry.example/block-node:0.40.1"));
  }
}

TEST(Serving, CrashTellsExitCodeAndLastLine) {
  Healthy healthy;
  server_state(healthy, waiting("CrashLoopBackOff"),
               terminated(1, "Error", "first\nSEVERE: no messaging plugin\n"));
  EXPECT_EQ(reason_of(healthy), "CrashLoop");
  EXPECT_THAT(message_of(healthy), HasSubstr("exit code 1"));
  EXPECT_THAT(message_of(healthy), HasSubstr("SEVERE: no messaging plugin"));
}

TEST(Serving, RunningAgainForAMomentAfterACrashIsStillACrashLoop) {
  Healthy healthy;
  server_state(healthy,
               {{"running", json::object{{"startedAt", format_time(healthy.snapshot.wall)}}}},
               terminated(1, "Error", "boom"));
  EXPECT_EQ(reason_of(healthy), "CrashLoop");
  healthy.snapshot.wall += std::chrono::minutes(2);
  EXPECT_NE(reason_of(healthy), "CrashLoop");
}

TEST(Serving, CleanExitAfterSigtermIsNoCrash) {
  Healthy healthy;
  server_state(healthy,
               {{"running", json::object{{"startedAt", format_time(healthy.snapshot.wall)}}}},
               terminated(143, "Error", ""));
  EXPECT_NE(reason_of(healthy), "CrashLoop");
}

TEST(Serving, OutOfMemoryIsTold) {
  Healthy healthy;
  server_state(healthy, waiting("CrashLoopBackOff"), terminated(137, "OOMKilled", ""));
  EXPECT_EQ(reason_of(healthy), "OutOfMemory");
}

TEST(Serving, RefusalOfTheStartWrapperIsPassedOn) {
  Healthy healthy;
  server_state(
      healthy, waiting("CrashLoopBackOff"),
      terminated(78, "Error", "VolumeIdentityMismatch: the live volume belongs to hiero/other"));
  EXPECT_EQ(reason_of(healthy), "VolumeIdentityMismatch");
  EXPECT_EQ(message_of(healthy), "the live volume belongs to hiero/other");
}

TEST(Serving, ContainerThatCannotBeMadeTellsTheKubeletsWord) {
  Healthy healthy;
  server_state(healthy, waiting("CreateContainerConfigError", "configmap \"x\" not found"), {}, 0);
  EXPECT_EQ(reason_of(healthy), "ContainerFailed");
  EXPECT_THAT(message_of(healthy), HasSubstr("configmap \"x\" not found"));
}

TEST(Serving, PendingClaimIsNamedWithItsClassAndTheClustersWord) {
  Healthy healthy;
  json::object claim = bound_claim(healthy.snapshot.node, kVolumes[0]);
  claim["spec"].as_object()["storageClassName"] = "nope";
  claim["status"] = json::object{{"phase", "Pending"}};
  healthy.put_claim(std::move(claim));
  healthy.snapshot.claim_notes["bn1-live"] = "storageclass \"nope\" not found";
  healthy.with_pod([](json::object& pod) { pod["spec"].as_object().erase("nodeName"); });
  EXPECT_EQ(reason_of(healthy), "ClaimPending");
  EXPECT_THAT(message_of(healthy), HasSubstr("bn1-live (class nope)"));
  EXPECT_THAT(message_of(healthy), HasSubstr("storageclass \"nope\" not found"));
}

TEST(Serving, ClaimsOfANewPodAreGivenTenSeconds) {
  Healthy healthy;
  json::object claim = bound_claim(healthy.snapshot.node, kVolumes[0]);
  claim["status"] = json::object{{"phase", "Pending"}};
  healthy.put_claim(std::move(claim));
  const std::string now = format_time(healthy.snapshot.wall);
  healthy.with_pod([&](json::object& pod) {
    pod["spec"].as_object().erase("nodeName");
    wire::ensure_object(pod, "metadata")["creationTimestamp"] = now;
  });
  EXPECT_EQ(reason_of(healthy), "Creating");
  healthy.snapshot.wall += std::chrono::seconds(10);
  EXPECT_EQ(reason_of(healthy), "ClaimPending");
  healthy.snapshot.wall -= std::chrono::seconds(60);  // our clock is behind the server's
  EXPECT_EQ(reason_of(healthy), "ClaimPending");
}

TEST(Serving, UnschedulablePodTellsTheSchedulersWord) {
  Healthy healthy;
  healthy.with_pod([](json::object& pod) {
    pod["spec"].as_object().erase("nodeName");
    pod["status"].as_object()["conditions"] =
        json::array{json::object{{"type", "PodScheduled"},
                                 {"status", "False"},
                                 {"reason", "Unschedulable"},
                                 {"message", "0/1 nodes are available: 1 Insufficient memory."}}};
  });
  EXPECT_EQ(reason_of(healthy), "Unschedulable");
  EXPECT_THAT(message_of(healthy), HasSubstr("Insufficient memory"));
}

TEST(Serving, RefusedHealthBeforeTheFirstAnswerIsAScan) {
  Healthy healthy;
  server_state(healthy, {{"running", json::object{{"startedAt", "2026-01-01T00:00:00Z"}}}}, {}, 0);
  healthy.snapshot.observation = {};
  Round round;
  round.run = "pod-1/0";
  round.health = fail(Code::kUnavailable, "refused");
  round.heights = fail(Code::kUnavailable, "refused");
  round.agent = AgentReport{};
  fold(healthy.snapshot.observation, round, kStart);
  EXPECT_EQ(reason_of(healthy), "Scanning");
}

TEST(Serving, NodeThatTurnsUnhealthyIsTold) {
  EXPECT_EQ(reason_of(answering(
                [](Round& round) { round.health = HealthReply{503, "Service is not running"}; })),
            "Unhealthy");
  EXPECT_EQ(reason_of(answering(
                [](Round& round) { round.health = fail(Code::kUnavailable, "refused"); })),
            "Unhealthy");
}

TEST(Serving, PodOutOfReachOfDavitButReadyIsUnknownAndNotAFailure) {
  const Healthy healthy = answering([](Round& round) {
    round.health = fail(Code::kDeadlineExceeded, "no answer");
    round.heights = fail(Code::kDeadlineExceeded, "no answer");
    round.agent = fail(Code::kDeadlineExceeded, "no answer");
  });
  const auto verdict = judge_serving(healthy.snapshot, healthy.plan());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->status, "Unknown");
  EXPECT_EQ(verdict->reason->name, "ProbeUnreachable");
}

TEST(Serving, SilentPortIsNamed) {
  const Healthy healthy =
      answering([](Round& round) { round.silent_ports = {"publisher (40984)"}; });
  EXPECT_EQ(reason_of(healthy), "PortSilent");
  EXPECT_THAT(message_of(healthy), HasSubstr("publisher (40984)"));
}

TEST(Serving, FullDiskIsTold) {
  const Healthy healthy = answering([](Round& round) {
    round.agent->volumes[0].writable = false;
    round.agent->volumes[0].error = "No space left on device";
  });
  EXPECT_EQ(reason_of(healthy), "VolumeFull");
  EXPECT_THAT(message_of(healthy), HasSubstr("live"));
}

TEST(Serving, ReadOnlyVolumeIsTold) {
  EXPECT_EQ(reason_of(answering([](Round& round) {
              round.agent->volumes[2].writable = false;
              round.agent->volumes[2].error = "Read-only file system";
            })),
            "VolumeNotWritable");
}

TEST(Serving, OtherVersionThanWantedIsTold) {
  EXPECT_EQ(reason_of(answering([](Round& round) { round.detail = ServerDetail{"0.39.0", {}}; })),
            "VersionMismatch");
}

TEST(Serving, UnreadableBlockIsBelievedWhenSeenTwice) {
  Healthy healthy;
  Round round = good_round();
  round.block_problem = "block 7 is empty";
  fold(healthy.snapshot.observation, round, kStart);
  EXPECT_EQ(reason_of(healthy), "Serving");
  fold(healthy.snapshot.observation, round, kStart);
  EXPECT_EQ(reason_of(healthy), "BlockUnreadable");
}

TEST(Serving, LowerHeightThanKnownIsToldUntilAccepted) {
  Healthy healthy;
  healthy.snapshot.node.status.last_block = 500;
  EXPECT_EQ(reason_of(healthy), "HeightWentBack");
  healthy.snapshot.accept_height = "99";
  EXPECT_EQ(reason_of(healthy), "Serving");
}

TEST(Serving, AfterARestartOfDavitTheStoredWordHolds) {
  Healthy healthy;
  healthy.snapshot.observation = {};
  EXPECT_EQ(reason_of(healthy), "(not asked)");
}

TEST(Serving, MissingPermissionSaysWhich) {
  Healthy healthy;
  healthy.snapshot.sights["pods"] = {false, Error(Code::kForbidden, "pods is forbidden")};
  const auto verdict = judge_serving(healthy.snapshot, healthy.plan());
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->status, "Unknown");
  EXPECT_EQ(verdict->reason->name, "PermissionMissing");
  EXPECT_THAT(verdict->message, HasSubstr("list and watch pods"));
}

TEST(Serving, RefusedWriteOfANewNodeIsTold) {
  Healthy healthy;
  healthy.snapshot.pod = nullptr;
  healthy.snapshot.statefulset = nullptr;
  healthy.snapshot.failures = {
      {"apply statefulsets/bn1", Error(Code::kForbidden,
                                       "statefulsets.apps \"bn1\" is forbidden: "
                                       "User \"x\" cannot patch resource "
                                       "\"statefulsets\" in API group \"apps\"")}};
  EXPECT_EQ(reason_of(healthy), "PermissionMissing");
  healthy.snapshot.failures[0].error = Error(Code::kForbidden, "exceeded quota: pods");
  EXPECT_EQ(reason_of(healthy), "ChangeRefused");
}

TEST(Reasons, EachIsNamedOnceAndExplained) {
  std::set<std::string_view> names;
  for (const Reason* reason : kReasons) {
    EXPECT_TRUE(names.insert(reason->name).second) << reason->name;
    EXPECT_FALSE(reason->meaning.empty());
  }
}

}  // namespace
}  // namespace davit::blocknode
