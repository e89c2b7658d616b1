#include "runtime/informer.hpp"

#include <gmock/gmock.h>

#include <map>

#include "sim/test_cluster.hpp"

namespace davit::runtime {
namespace {

using kube::kConfigMaps;
using sim::config_map;
using sim::Fault;
using sim::kTester;
using sim::RequestInfo;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

struct Watched : sim::TestCluster {
  explicit Watched(std::uint64_t seed = 1) : TestCluster(seed) { observe(); }

  kube::Client davit{server.as("davit"), loop};
  std::unique_ptr<Informer> informer =
      std::make_unique<Informer>(davit, random, kConfigMaps, InformerOptions{.ns = "default"});
  std::unique_ptr<io::Scope> scope = std::make_unique<io::Scope>(loop);
  std::vector<std::string> changes;
  std::map<ObjectKey, std::string> told;  // what the handlers know: value by key

  void observe() {
    informer->on_change([this](const Change& change) {
      const ObjectKey key = kube::key_of(change.after ? *change.after : *change.before);
      changes.push_back((!change.before ? "+" : !change.after ? "-" : "~") + key.name);
      if (change.after) {
        told[key] = wire::find_string(*change.after, "data.key");
      } else {
        told.erase(key);
      }
    });
  }
  void start() {
    scope->spawn(informer->run());
    settle();
  }
  void create(const std::string& name, const std::string& value = "x") {
    must(client.create(kConfigMaps, config_map(name, value), kTester));
  }
  void remove(const std::string& name) {
    ASSERT_TRUE(run(client.remove(kConfigMaps, {"default", name})));
  }
  void set(const std::string& name, const std::string& value) {
    must(client.patch(kConfigMaps, {"default", name}, kube::PatchType::kMerge,
                      json::object{{"data", json::object{{"key", value}}}}, kTester));
  }
  [[nodiscard]] std::map<ObjectKey, std::string> stored() const {
    std::map<ObjectKey, std::string> all;
    for (const Object& object : informer->store().all()) {
      all[kube::key_of(*object)] = wire::find_string(*object, "data.key");
    }
    return all;
  }
  [[nodiscard]] std::map<ObjectKey, std::string> truth() {
    std::map<ObjectKey, std::string> all;
    const auto& type = *server.registry().find(kConfigMaps);
    for (const auto& [key, object] : server.store().all(type)) {
      if (key.ns == "default") all[key] = wire::find_string(*object, "data.key");
    }
    return all;
  }
  std::size_t requests(std::string_view verb) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        server.log(),
        [&](const RequestInfo& info) { return info.user == "davit" && info.verb == verb; }));
  }
};

TEST(Informer, ListsThenFollows) {
  Watched w;
  w.create("a");
  w.start();
  EXPECT_TRUE(w.informer->synced());
  w.create("b");
  w.set("b", "y");
  w.remove("a");
  w.settle();
  EXPECT_THAT(w.changes, ElementsAre("+a", "+b", "~b", "-a"));
  EXPECT_EQ(w.stored(), w.truth());
  EXPECT_EQ(w.requests("list"), 1U);
  EXPECT_EQ(w.requests("watch"), 1U);
}

TEST(Informer, ReadsAllPagesOfAList) {
  Watched w;
  for (int i = 0; i < 1200; ++i) w.create("c" + std::to_string(i));
  w.start();
  EXPECT_EQ(w.informer->store().size(), 1200U);
  EXPECT_EQ(w.requests("list"), 3U);
}

TEST(Informer, ResumesWhereItWasCut) {
  Watched w;
  w.create("a");
  w.start();
  w.server.watches().cut_all();
  w.create("b");
  w.settle(seconds(5));
  EXPECT_THAT(w.changes, ElementsAre("+a", "+b"));
  EXPECT_EQ(w.requests("list"), 1U);
}

TEST(Informer, SeesDeletionsItMissedWhenItsPlaceIsGone) {
  Watched w;
  w.create("a");
  w.create("b");
  w.start();
  w.server.set_down(true);
  w.settle();
  const auto& type = *w.server.registry().find(kConfigMaps);
  w.server.store().erase(type, {"default", "a"});
  w.server.store().compact();
  w.server.set_down(false);
  w.settle(minutes(2));
  EXPECT_THAT(w.changes, testing::UnorderedElementsAre("+a", "+b", "-a"));
  EXPECT_EQ(w.stored(), w.truth());
  EXPECT_EQ(w.informer->lists(), 2U);
}

TEST(Informer, Understands410AsAStatusToo) {
  Watched w;
  w.server.watches().behaviour.gone_as_status = true;
  w.create("a");
  w.start();
  w.server.set_down(true);
  w.settle();
  const auto& type = *w.server.registry().find(kConfigMaps);
  w.server.store().erase(type, {"default", "a"});
  w.server.store().compact();
  w.server.set_down(false);
  w.settle(minutes(2));
  EXPECT_THAT(w.stored(), IsEmpty());
}

TEST(Informer, A410WithoutEndIsNotAHotLoop) {
  Watched w;
  w.create("a");
  w.server.set_faults([](const RequestInfo& request) {
    return request.verb == "watch" ? Fault{.refuse = io::HttpResponse{410, {}, "{}"}} : Fault{};
  });
  w.start();
  w.settle(minutes(10));
  EXPECT_LT(w.requests("watch"), 60U);
  EXPECT_TRUE(w.informer->error());
}

TEST(Informer, AWatchThatEndsAtOnceIsNotAHotLoop) {
  Watched w;
  w.server.set_faults([](const RequestInfo& request) {
    return request.verb == "watch" ? Fault{.refuse = io::HttpResponse{200, {}, ""}} : Fault{};
  });
  w.start();
  w.settle(minutes(10));
  EXPECT_LT(w.requests("watch"), 60U);
}

TEST(Informer, BookmarksKeepAQuietWatchWithinTheWindow) {
  Watched w;
  w.create("a");
  w.start();
  w.server.add_namespace("elsewhere");
  w.settle(minutes(2));
  w.server.store().compact();
  w.server.watches().cut_all();
  w.settle(seconds(10));
  EXPECT_EQ(w.requests("list"), 1U);
  EXPECT_EQ(w.informer->store().version().value, std::to_string(w.server.store().version()));
}

TEST(Informer, ResumesAtOnceAfterAnOrderlyEnd) {
  Watched w;
  w.start();
  w.settle(minutes(3));
  w.server.watches().end_all();
  w.create("a");
  w.settle(std::chrono::milliseconds(10));
  EXPECT_THAT(w.changes, ElementsAre("+a"));
  EXPECT_FALSE(w.informer->error());
}

TEST(Informer, FindsASilentConnectionDead) {
  Watched w;
  w.start();
  w.server.watches().stall_open();
  w.create("a");
  w.settle(seconds(140));
  EXPECT_THAT(w.changes, IsEmpty());
  w.settle(seconds(20));
  EXPECT_THAT(w.changes, ElementsAre("+a"));
}

TEST(Informer, AForbiddenKindIsReportedAndRetried) {
  Watched w;
  w.server.access().restrict("davit");
  w.start();
  EXPECT_FALSE(w.informer->synced());
  EXPECT_TRUE(w.informer->settled());
  ASSERT_TRUE(w.informer->error());
  EXPECT_EQ(w.informer->error()->code(), Code::kForbidden);
  w.settle(minutes(5));
  EXPECT_LE(w.requests("list"), 11U);
  w.server.access().clear("davit");
  w.settle(seconds(31));
  EXPECT_TRUE(w.informer->synced());
  EXPECT_FALSE(w.informer->error());
}

TEST(Informer, BacksOffFromAFailingServer) {
  Watched w;
  w.server.set_down(true);
  w.start();
  w.settle(minutes(10));
  EXPECT_LT(w.requests("list"), 60U);
  w.server.set_down(false);
  w.settle(seconds(61));
  EXPECT_TRUE(w.informer->synced());
}

TEST(Informer, ObeysRetryAfter) {
  Watched w;
  w.server.set_faults([](const RequestInfo&) {
    return Fault{.refuse = io::HttpResponse{429, {{"Retry-After", "100"}}, "{}"}};
  });
  w.start();
  w.settle(seconds(98));
  EXPECT_EQ(w.requests("list"), 1U);
}

TEST(Informer, ARecreatedObjectIsOneChangeOfTwoUids) {
  Watched w;
  w.create("a");
  w.start();
  w.server.set_down(true);
  w.settle();
  const auto& type = *w.server.registry().find(kConfigMaps);
  w.server.store().erase(type, {"default", "a"});
  w.server.set_down(false);
  w.create("a", "second");
  w.server.store().compact();
  Uid before, after;
  w.informer->on_change([&](const Change& change) {
    if (change.before) before = kube::uid_of(*change.before);
    if (change.after) after = kube::uid_of(*change.after);
  });
  w.settle(minutes(2));
  EXPECT_EQ(w.stored(), w.truth());
  EXPECT_NE(before, after);
  EXPECT_FALSE(before.empty());
}

TEST(Informer, AListFromThePastIsNotBelievedAtOnce) {
  Watched w;
  w.create("a");
  w.create("b");
  w.start();
  // The watch's place is gone, and the replica that answers the list lags behind.
  w.server.set_faults([](const RequestInfo& request) {
    if (request.verb == "watch") return Fault{.refuse = io::HttpResponse{410, {}, "{}"}};
    if (request.verb != "list") return Fault{};
    return Fault{.refuse =
                     io::HttpResponse{200, {}, R"({"kind": "ConfigMapList", "apiVersion": "v1",
                                  "metadata": {"resourceVersion": "2"}, "items": []})"}};
  });
  w.server.watches().cut_all();
  w.settle(seconds(3));
  EXPECT_EQ(w.informer->store().size(), 2U) << "a stale list must not look like two deletions";
  w.server.set_faults({});
  w.settle(minutes(2));
  EXPECT_EQ(w.stored(), w.truth());
  EXPECT_THAT(w.changes, testing::UnorderedElementsAre("+a", "+b"));
}

TEST(Informer, LinesMayBeCutAnywhere) {
  for (const std::size_t size : {1U, 2U, 13U}) {
    Watched w;
    w.server.watches().behaviour.piece_size = size;
    w.start();
    w.create("a");
    w.create("b");
    w.settle();
    EXPECT_EQ(w.stored(), w.truth());
  }
}

// Cuts, server losses, compactions and lost requests at random moments: in the end the store, and
// what the handlers were told, equal the server.
TEST(Informer, EqualsTheServerAfterAnyDisturbance) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Watched w(seed);
    SeededRandom chance(seed * 977);
    bool disturbed = true;
    w.server.watches().behaviour.piece_size = 1 + chance.below(300);
    w.server.set_faults([&](const RequestInfo& request) {
      if (!disturbed || request.user != "davit") return Fault{};
      switch (chance.below(8)) {
        case 0:
          return Fault{.fail_before = Error(Code::kUnavailable, "reset")};
        case 1:
          return Fault{.lose_reply = Error(Code::kUnavailable, "reset")};
        case 2:
          return Fault{.delay_before = seconds(chance.below(40))};
        case 3:
          return Fault{.refuse = io::HttpResponse{500, {}, "not even JSON"}};
        default:
          return Fault{};
      }
    });
    w.start();
    for (int step = 0; step < 120; ++step) {
      const std::string name = "c" + std::to_string(chance.below(6));
      const bool exists = w.server.find(kConfigMaps, {"default", name}) != nullptr;
      switch (chance.below(7)) {
        case 0:
          w.server.watches().cut_all();
          break;
        case 1:
          w.server.store().compact();
          break;
        case 2:
          w.server.watches().end_all();
          break;
        case 3:
          w.settle(seconds(chance.below(90)));
          break;
        default:
          if (!exists) {
            w.create(name, std::to_string(step));
          } else if (chance.below(2) == 0) {
            w.remove(name);
          } else {
            w.set(name, std::to_string(step));
          }
      }
      w.settle(std::chrono::milliseconds(chance.below(2000)));
    }
    disturbed = false;
    w.settle(minutes(5));
    ASSERT_EQ(w.stored(), w.truth()) << "seed " << seed;
    ASSERT_EQ(w.told, w.truth()) << "seed " << seed;
    ASSERT_FALSE(w.informer->error()) << "seed " << seed;
  }
}

TEST(Informer, DestroyedAtAnyStepItLeavesNothingAndSendsNothing) {
  for (std::size_t steps = 0; steps < 40; ++steps) {
    Watched w;
    for (int i = 0; i < 3; ++i) w.create("c" + std::to_string(i));
    w.settle();
    const std::size_t pending = w.loop.pending();
    w.scope->spawn(w.informer->run());
    for (std::size_t i = 0; i < steps; ++i) w.loop.step({Duration::max()});
    w.scope.reset();
    const std::size_t sent = w.requests("list") + w.requests("watch");
    EXPECT_EQ(w.loop.pending(), pending) << "after " << steps << " steps";
    EXPECT_EQ(w.server.watches().open_streams(), 0U);
    w.settle(minutes(10));
    EXPECT_EQ(w.requests("list") + w.requests("watch"), sent);
  }
}

TEST(Gate, HoldsUntilOurOwnWriteIsSeen) {
  Watched w;
  w.create("a");
  w.start();
  w.server.watches().freeze(true);
  const ObjectKey key{"default", "a"};
  const json::object written =
      w.must(w.client.patch(kConfigMaps, key, kube::PatchType::kMerge,
                            sim::object_of(R"({"data": {"key": "ours"}})"), kTester));
  EXPECT_TRUE(w.informer->fresh(key));
  w.informer->wrote(key, kube::version_of(written));
  EXPECT_FALSE(w.informer->fresh(key));
  EXPECT_TRUE(w.informer->fresh({"default", "other"}));
  w.server.watches().freeze(false);
  w.settle();
  EXPECT_TRUE(w.informer->fresh(key));
  EXPECT_EQ(w.informer->gate_timeouts(), 0U);
}

TEST(Gate, ADeletionOfWhatWeWroteOpensIt) {
  Watched w;
  w.create("a");
  w.start();
  w.server.watches().freeze(true);
  const ObjectKey key{"default", "a"};
  const json::object written =
      w.must(w.client.patch(kConfigMaps, key, kube::PatchType::kMerge,
                            sim::object_of(R"({"data": {"key": "ours"}})"), kTester));
  w.informer->wrote(key, kube::version_of(written));
  w.remove("a");
  EXPECT_FALSE(w.informer->fresh(key));
  w.server.watches().freeze(false);
  w.settle();
  EXPECT_TRUE(w.informer->fresh(key));
}

TEST(Gate, TimesOutAndCountsIt) {
  Watched w;
  w.create("a");
  w.start();
  const ObjectKey key{"default", "a"};
  w.informer->wrote(key, ResourceVersion("999999"));
  w.settle(seconds(29));
  EXPECT_FALSE(w.informer->fresh(key));
  w.settle(seconds(2));
  EXPECT_TRUE(w.informer->fresh(key));
  EXPECT_EQ(w.informer->gate_timeouts(), 1U);
}

TEST(Gate, VersionsWithoutOrderOpenItWhenEqualOrListedAnew) {
  Watched w;
  w.create("a");
  w.start();
  const ObjectKey key{"default", "a"};
  w.informer->wrote(key, ResourceVersion("opaque"));
  EXPECT_FALSE(w.informer->fresh(key));
  w.server.set_down(true);
  w.settle();
  w.server.add_namespace("elsewhere");
  w.server.store().compact();
  w.server.set_down(false);
  w.settle(seconds(10));
  ASSERT_EQ(w.informer->lists(), 2U);
  EXPECT_TRUE(w.informer->fresh(key));
}

}  // namespace
}  // namespace davit::runtime
