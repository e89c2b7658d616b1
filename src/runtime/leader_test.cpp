#include "runtime/leader.hpp"

#include <gmock/gmock.h>

#include "sim/skewed_loop.hpp"
#include "sim/test_cluster.hpp"

namespace davit::runtime {
namespace {

using sim::Fault;
using sim::RequestInfo;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const ObjectKey kLease{"default", "davit"};

// One process that stands for the lease, on a machine with clocks of its own.
struct Process {
  Process(sim::TestCluster& cluster, const std::string& name, seconds wall_offset = seconds(0),
          double rate = 1.0)
      : loop(cluster.loop, wall_offset, seconds(1000), rate),
        client(cluster.server.as(name), loop),
        leader(client, cluster.random, {.lease = kLease, .identity = name}),
        scope(cluster.loop) {
    scope.spawn(leader.run());
  }
  sim::SkewedLoop loop;
  kube::Client client;
  Leader leader;
  io::Scope scope;
};

TEST(Leader, OneLeadsTheOtherStandsBy) {
  sim::TestCluster c;
  Process a(c, "a"), b(c, "b");
  c.settle(seconds(5));
  EXPECT_NE(a.leader.is_leader(), b.leader.is_leader());
  EXPECT_EQ(a.leader.holder(), b.leader.holder());
}

TEST(Leader, TheStandbyTakesOverFromTheDeadWithinTheLease) {
  sim::TestCluster c;
  auto a = std::make_unique<Process>(c, "a");
  c.settle(seconds(5));
  Process b(c, "b");
  c.settle(minutes(2));
  ASSERT_TRUE(a->leader.is_leader());
  a.reset();
  c.settle(seconds(12));
  EXPECT_FALSE(b.leader.is_leader()) << "too early";
  c.settle(seconds(8));
  EXPECT_TRUE(b.leader.is_leader());
  const json::object lease = *c.server.find(kube::kLeases, kLease);
  EXPECT_EQ(wire::find_string(lease, "spec.holderIdentity"), "b");
  EXPECT_EQ(wire::find_int(lease, "spec.leaseTransitions"), 1);
}

TEST(Leader, ReleaseLetsTheStandbyBeginAtOnce) {
  sim::TestCluster c;
  Process a(c, "a");
  c.settle(seconds(5));
  Process b(c, "b");
  c.settle(seconds(10));
  const auto release = [](Leader& leader) -> io::Task<Status> {
    co_await leader.release();
    co_return Status{};
  };
  ASSERT_TRUE(c.run(release(a.leader)));
  EXPECT_FALSE(a.leader.is_leader());
  c.settle(seconds(3));
  EXPECT_TRUE(b.leader.is_leader());
  c.settle(minutes(1));
  EXPECT_FALSE(a.leader.is_leader()) << "who released does not stand again";
}

TEST(Leader, CutOffItStopsLeadingBeforeAnybodyElseMayBegin) {
  sim::TestCluster c;
  Process a(c, "a");
  c.settle(seconds(5));
  Process b(c, "b");
  c.settle(seconds(30));
  ASSERT_TRUE(a.leader.is_leader());
  std::vector<bool> told;
  a.leader.on_change([&](bool leads) { told.push_back(leads); });
  c.server.set_faults([](const RequestInfo& request) {
    return request.user == "a" ? Fault{.fail_before = Error(Code::kUnavailable, "cut off")}
                               : Fault{};
  });
  for (int i = 0; i < 400; ++i) {
    c.settle(milliseconds(100));
    ASSERT_FALSE(a.leader.is_leader() && b.leader.is_leader());
  }
  EXPECT_TRUE(b.leader.is_leader());
  EXPECT_THAT(told, testing::ElementsAre(false));
}

TEST(Leader, ASilentServerDoesNotHoldTheLeadershipOpen) {
  sim::TestCluster c;
  Process a(c, "a");
  c.settle(seconds(5));
  c.server.set_faults([](const RequestInfo&) { return Fault{.delay_before = minutes(10)}; });
  c.settle(seconds(13));
  EXPECT_FALSE(a.leader.is_leader());
}

TEST(Leader, WhoSeesAnotherHolderStopsAtOnce) {
  sim::TestCluster c;
  Process a(c, "a");
  c.settle(seconds(5));
  ASSERT_TRUE(a.leader.is_leader());
  ASSERT_TRUE(
      c.run(c.client.patch(kube::kLeases, kLease, kube::PatchType::kMerge,
                           sim::object_of(R"({"spec": {"holderIdentity": "x"}})"), sim::kTester)));
  c.settle(seconds(3));
  EXPECT_FALSE(a.leader.is_leader());
}

TEST(Leader, ALostReplyToARenewalIsFoundOut) {
  sim::TestCluster c;
  Process a(c, "a");
  c.settle(seconds(5));
  int lost = 0;
  c.server.set_faults([&](const RequestInfo& request) {
    return request.verb == "update" && ++lost % 2 == 1
               ? Fault{.lose_reply = Error(Code::kUnavailable, "reset")}
               : Fault{};
  });
  for (int i = 0; i < 600; ++i) {
    c.settle(milliseconds(100));
    ASSERT_TRUE(a.leader.is_leader());
  }
}

// Wall clocks hours apart, monotonic clocks that drift by 2 percent, requests that fail and hang:
// never two leaders, and one within the lease after the trouble.
TEST(Leader, NeverTwoWhateverTheClocksSay) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    sim::TestCluster c(seed);
    SeededRandom chance(seed * 31);
    bool trouble = true;
    c.server.set_faults([&](const RequestInfo&) {
      if (!trouble) return Fault{};
      switch (chance.below(6)) {
        case 0:
          return Fault{.fail_before = Error(Code::kUnavailable, "reset")};
        case 1:
          return Fault{.lose_reply = Error(Code::kUnavailable, "reset")};
        case 2:
          return Fault{.delay_before = milliseconds(chance.below(9000)),
                       .delay_after = milliseconds(chance.below(9000))};
        default:
          return Fault{};
      }
    });
    Process a(c, "a", std::chrono::hours(-5), 0.98);
    Process b(c, "b", std::chrono::hours(7), 1.02);
    for (int i = 0; i < 3000; ++i) {
      c.settle(milliseconds(100));
      if (i % 700 == 699) c.loop.jump_wall(std::chrono::hours(i % 2 == 0 ? 3 : -3));
      ASSERT_FALSE(a.leader.is_leader() && b.leader.is_leader()) << "seed " << seed;
    }
    trouble = false;
    c.settle(seconds(40));
    EXPECT_TRUE(a.leader.is_leader() || b.leader.is_leader()) << "seed " << seed;
  }
}

TEST(Leader, DestroyedAtAnyStepItSendsNothingMore) {
  for (std::size_t steps = 0; steps < 60; ++steps) {
    sim::TestCluster c;
    const std::size_t pending = c.loop.pending();
    {
      Process a(c, "a");
      for (std::size_t i = 0; i < steps; ++i) c.loop.step({Duration::max()});
    }
    EXPECT_EQ(c.loop.pending(), pending);
    const std::size_t sent = c.server.log().size();
    c.settle(minutes(1));
    EXPECT_EQ(c.server.log().size(), sent);
  }
}

}  // namespace
}  // namespace davit::runtime
