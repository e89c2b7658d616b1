#include "runtime/applier.hpp"

#include <gmock/gmock.h>

#include "runtime/same_meaning.hpp"
#include "sim/test_cluster.hpp"

namespace davit::runtime {
namespace {

using kube::kServices;
using kube::kStatefulSets;
using sim::kTester;
using sim::object_of;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

struct Bench : sim::TestCluster {
  kube::Client davit{server.as("davit"), loop};
  Informer sets{davit, random, kStatefulSets, {}};
  Informer maps{davit, random, kube::kConfigMaps, {}};
  Applier applier{davit, FieldManager("davit")};
  io::Scope scope{loop};
  json::object owner = must(client.create(kube::kConfigMaps, sim::config_map("owner"), kTester));

  Bench() {
    scope.spawn(sets.run());
    scope.spawn(maps.run());
    settle();
    server.clear_log();
  }
  [[nodiscard]] json::object owned(json::object object) const {
    json::object& metadata = object["metadata"].as_object();
    metadata["namespace"] = "default";
    metadata["ownerReferences"] = json::array{json::object{{"apiVersion", "v1"},
                                                           {"kind", "ConfigMap"},
                                                           {"name", "owner"},
                                                           {"uid", kube::uid_of(owner).value},
                                                           {"controller", true}}};
    return object;
  }
  [[nodiscard]] json::object wanted_set() const {
    return owned(object_of(R"({"apiVersion": "apps/v1", "kind": "StatefulSet",
      "metadata": {"name": "s", "labels": {"app": "s"}},
      "spec": {"serviceName": "s", "replicas": 1, "updateStrategy": {"type": "OnDelete"},
        "selector": {"matchLabels": {"app": "s"}},
        "template": {"metadata": {"labels": {"app": "s"}}, "spec": {
          "hostNetwork": false, "volumes": [],
          "containers": [{"name": "main", "image": "x:1",
            "ports": [{"name": "a", "containerPort": 80}, {"name": "b", "containerPort": 81}],
            "env": [{"name": "E", "value": ""}, {"name": "F", "value": "1"}],
            "resources": {"limits": {"cpu": "1500m", "memory": "1024Mi"}},
            "volumeMounts": [{"name": "v", "mountPath": "/v", "readOnly": false}]}]}}}})"));
  }
  [[nodiscard]] json::object wanted_map(json::object data) const {
    json::object map = sim::config_map("m");
    map["data"] = std::move(data);
    return owned(std::move(map));
  }
  // "skipped", "written", or the error's reason.
  std::string apply(Informer& informer, json::object object) {
    const auto applied = run(applier.apply(informer, std::move(object)));
    settle();
    if (!applied) return std::string(applied.error().reason());
    return *applied == Applied::kSkipped ? "skipped" : "written";
  }
  json::object map() { return *server.find(kube::kConfigMaps, {"default", "m"}); }
  void patch_map(const char* patch, const FieldManager& who = kTester) {
    must(client.patch(kube::kConfigMaps, {"default", "m"}, kube::PatchType::kMerge,
                      object_of(patch), who));
    settle();
  }
};

TEST(Applier, WritesOnceThenSkipsWithoutAnyRequest) {
  Bench b;
  EXPECT_EQ(b.apply(b.sets, b.wanted_set()), "written");
  b.server.clear_log();
  for (int i = 0; i < 10; ++i) EXPECT_EQ(b.apply(b.sets, b.wanted_set()), "skipped");
  EXPECT_EQ(std::ranges::count_if(b.server.log(),
                                  [](const sim::RequestInfo& r) { return r.verb != "watch"; }),
            0);
}

TEST(Applier, SkipsWhatOthersAddAndWhatTheServerDefaults) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  b.patch_map(R"({"data": {"user": "2"}, "metadata": {"labels": {"team": "x"}}})");
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "skipped");
  EXPECT_EQ(wire::find_string(b.map(), "data.user"), "2");
}

TEST(Applier, CorrectsDriftInItsFields) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  b.patch_map(R"({"data": {"k": "user"}})");
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "written");
  EXPECT_EQ(wire::find_string(b.map(), "data.k"), "1");
}

TEST(Applier, WritesWhenAFieldIsNoLongerWanted) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}, {"old", "1"}}));
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "written")
      << "every wanted field is there, but one too many is ours";
  EXPECT_EQ(wire::find(b.map(), "data.old"), nullptr);
}

TEST(Applier, PutsBackWhatWasDeleted) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  ASSERT_TRUE(b.run(b.client.remove(kube::kConfigMaps, {"default", "m"})));
  b.settle();
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "written");
}

TEST(Applier, LeavesANamesakeOfSomebodyElseAlone) {
  Bench b;
  json::object foreign = sim::config_map("m");
  b.must(b.client.create(kube::kConfigMaps, foreign, kTester));
  b.settle();
  const auto refused = b.run(b.applier.apply(b.maps, b.wanted_map({{"k", "1"}})));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason(), "NotOurs");
  EXPECT_THAT(refused.error().message(),
              HasSubstr("ConfigMap default/m exists and is not Davit's"));
  EXPECT_EQ(wire::find(b.map(), "data.k"), nullptr);
}

TEST(Applier, LeavesAnotherOwnersChildAloneEvenWithOurHash) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  json::object next = b.must(b.client.create(kube::kConfigMaps, sim::config_map("next"), kTester));
  b.owner = next;  // the same name wanted by another owner
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "2"}})), "NotOurs");
}

TEST(Applier, LooksLiveBeforeItBelievesThatNothingIsThere) {
  Bench b;
  b.server.watches().freeze(true);
  b.must(b.client.create(kube::kConfigMaps, sim::config_map("m"), kTester));
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "NotOurs");
}

TEST(Applier, PutsALostOwnerReferenceBack) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  b.patch_map(R"({"metadata": {"ownerReferences": null}})");
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "written");
  EXPECT_EQ(kube::controller_of(b.map()), kube::uid_of(b.owner));
}

TEST(Applier, LetsGoOfAChildThatShallHaveNoController) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  json::object orphan = b.wanted_map({{"k", "1"}});
  orphan["metadata"].as_object().erase("ownerReferences");
  EXPECT_EQ(b.apply(b.maps, orphan), "written");
  EXPECT_TRUE(kube::controller_of(b.map()).empty());
  EXPECT_EQ(b.apply(b.maps, orphan), "skipped");
}

TEST(Applier, DoesNotTouchANamesakeMadeMeanwhile) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  b.server.watches().freeze(true);
  ASSERT_TRUE(b.run(b.client.remove(kube::kConfigMaps, {"default", "m"})));
  b.must(b.client.create(kube::kConfigMaps, sim::config_map("m", "theirs"), kTester));
  const auto applied = b.run(b.applier.apply(b.maps, b.wanted_map({{"k", "2"}})));
  EXPECT_FALSE(applied);
  EXPECT_EQ(wire::find_string(b.map(), "data.key"), "theirs");
  EXPECT_EQ(wire::find(b.map(), "data.k"), nullptr);
}

TEST(Applier, DoesNotWriteTwiceFromAnOldCache) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  b.server.watches().freeze(true);
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "2"}})), "written");
  EXPECT_FALSE(b.maps.fresh({"default", "m"}));
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "2"}})), "skipped");
  b.server.watches().freeze(false);
  b.settle();
  EXPECT_TRUE(b.maps.fresh({"default", "m"}));
}

TEST(Applier, AContestedFieldIsReportedNotFoughtFor) {
  Bench b;
  b.apply(b.maps, b.wanted_map({{"k", "1"}}));
  int written = 0;
  std::string reason;
  for (int i = 0; i < 30; ++i) {
    b.patch_map(R"({"data": {"k": "user"}})");
    const std::string outcome = b.apply(b.maps, b.wanted_map({{"k", "1"}}));
    written += outcome == "written" ? 1 : 0;
    if (outcome != "written") reason = outcome;
    b.settle(seconds(5));
  }
  EXPECT_EQ(written, 5);
  EXPECT_EQ(reason, "FieldContested");
  b.settle(minutes(11));
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "written") << "tries again later";
}

TEST(Applier, AnotherDavitThatWantsSomethingElseIsAContestToo) {
  Bench b;
  Applier rival(b.davit, FieldManager("davit"));
  int written = 0;
  for (int i = 0; i < 30; ++i) {
    (void)b.run(rival.apply(b.maps, b.wanted_map({{"k", "2"}})));
    b.settle();
    written += b.apply(b.maps, b.wanted_map({{"k", "1"}})) == "written" ? 1 : 0;
  }
  EXPECT_LE(written, 7);
}

TEST(Applier, OwnChangesAreNoContest) {
  Bench b;
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", std::to_string(i)}})), "written");
  }
}

TEST(Applier, ALostReplyIsMadeGoodWithoutASecondEffect) {
  Bench b;
  bool lose = true;
  b.server.set_faults([&](const sim::RequestInfo& request) {
    return lose && request.verb == "patch"
               ? sim::Fault{.lose_reply = Error(Code::kUnavailable, "x")}
               : sim::Fault{};
  });
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "Unavailable");
  lose = false;
  EXPECT_EQ(b.apply(b.maps, b.wanted_map({{"k", "1"}})), "skipped");
}

// Two owners of one object ask for the same at the same instant: one writes.
TEST(Applier, AnObjectIsWrittenByOneAtATime) {
  Bench b;
  const json::object wanted = b.wanted_map({{"k", "1"}});
  std::vector<Applied> done;
  const auto ask = [&]() -> io::Task<void> {
    const auto applied = co_await b.applier.apply(b.maps, wanted);
    if (applied) done.push_back(*applied);
  };
  b.scope.spawn(ask());
  b.scope.spawn(ask());
  b.settle();
  EXPECT_THAT(done, testing::ElementsAre(Applied::kWritten, Applied::kSkipped));
}

std::string difference(const char* kind, const char* desired, const char* live) {
  return first_difference(kind, object_of(desired), object_of(live));
}

TEST(SameMeaning, QuantitiesAreNumbers) {
  const char* const live = R"({"resources": {"limits": {"cpu": "1", "memory": "1Gi"}}})";
  EXPECT_EQ(
      difference("Pod", R"({"resources": {"limits": {"cpu": "1000m", "memory": "1024Mi"}}})", live),
      "");
  EXPECT_EQ(difference("Pod", R"({"resources": {"limits": {"cpu": 1}}})", live), "");
  EXPECT_EQ(difference("Pod", R"({"resources": {"limits": {"memory": "1G"}}})", live),
            "resources.limits.memory");
}

TEST(SameMeaning, KeyedListsCompareByKeyInAnyOrder) {
  const char* const live =
      R"({"spec": {"ports": [{"name": "b", "port": 2, "protocol": "TCP", "targetPort": 2},
                             {"name": "a", "port": 1, "protocol": "TCP", "targetPort": 1}]}})";
  EXPECT_EQ(difference("Service", R"({"spec": {"ports": [{"name": "a", "port": 1},
                                                         {"name": "b", "port": 2}]}})",
                       live),
            "");
  EXPECT_EQ(difference("Service", R"({"spec": {"ports": [{"name": "z", "port": 1}]}})", live),
            "spec.ports[port=1].name");
  EXPECT_EQ(difference("Service", R"({"spec": {"ports": [{"port": 1, "protocol": "UDP"}]}})", live),
            "spec.ports[port=1]");
}

TEST(SameMeaning, AtomicListsCompareWholeAndInOrder) {
  const char* const live = R"({"args": ["a", "b"]})";
  EXPECT_EQ(difference("Pod", R"({"args": ["a", "b"]})", live), "");
  EXPECT_EQ(difference("Pod", R"({"args": ["b", "a"]})", live), "args[0]");
  EXPECT_EQ(difference("Pod", R"({"args": ["a"]})", live), "args");
}

TEST(SameMeaning, AtomicMapsCompareWhole) {
  const char* const live = R"({"spec": {"selector": {"a": "1", "b": "2"}}})";
  EXPECT_EQ(difference("Service", R"({"spec": {"selector": {"a": "1"}}})", live), "spec.selector");
}

TEST(SameMeaning, NothingWantedIsNothingThere) {
  EXPECT_EQ(difference("Pod", R"({"spec": {"volumes": [], "nodeSelector": {}, "x": null}})",
                       R"({"spec": {}})"),
            "");
  EXPECT_EQ(difference("Pod", R"({"spec": {"hostNetwork": false}})", R"({"spec": {}})"), "");
  EXPECT_EQ(
      difference("Pod", R"({"spec": {"automountServiceAccountToken": false}})", R"({"spec": {}})"),
      "spec.automountServiceAccountToken");
}

}  // namespace
}  // namespace davit::runtime
