#include "runtime/controller.hpp"

#include <gmock/gmock.h>

#include "sim/test_cluster.hpp"

namespace davit::runtime {
namespace {

using kube::kConfigMaps;
using sim::config_map;
using sim::kTester;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

struct Bench : sim::TestCluster {
  Metrics metrics;
  kube::Client davit{server.as("davit"), loop};
  Informer maps{davit, random, kConfigMaps, {}};
  std::vector<std::string> begun;
  int at_once = 0, most_at_once = 0;
  std::map<std::string, int> of_key_at_once;
  // What a reconcile does; by default nothing.
  std::function<io::Task<Result<Outcome>>(ObjectKey)> work;
  ControllerOptions options{.name = "test"};
  std::unique_ptr<Controller> controller;
  std::unique_ptr<io::Scope> scope = std::make_unique<io::Scope>(loop);

  io::Task<Result<Outcome>> reconcile(ObjectKey key) {
    begun.push_back(key.name);
    struct Count {
      Bench* bench;
      std::string name;
      Count(Bench* b, std::string n) : bench(b), name(std::move(n)) {
        EXPECT_EQ(++bench->of_key_at_once[name], 1) << "two reconciles of " << name;
        bench->most_at_once = std::max(bench->most_at_once, ++bench->at_once);
      }
      ~Count() {
        --bench->at_once;
        --bench->of_key_at_once[name];
      }
    } const count(this, key.name);
    if (work) co_return co_await work(key);
    co_return Outcome{};
  }
  void make() {
    controller = std::make_unique<Controller>(loop, random, metrics, options,
                                              [this](ObjectKey key) { return reconcile(key); });
  }
  void start() {
    make();
    controller->watches(maps);
    run_all();
  }
  void run_all() {
    scope->spawn(maps.run());
    scope->spawn(controller->run());
    settle();
  }
  void create(const std::string& name) {
    must(client.create(kConfigMaps, config_map(name), kTester));
  }
  void touch(const std::string& name, const std::string& value) {
    must(client.patch(kConfigMaps, {"default", name}, kube::PatchType::kMerge,
                      json::object{{"data", json::object{{"key", value}}}}, kTester));
  }
};

TEST(Controller, ReconcilesWhatIsThereAndWhatChanges) {
  Bench b;
  b.create("a");
  b.start();
  EXPECT_THAT(b.begun, ElementsAre("a"));
  b.create("b");
  b.settle();
  EXPECT_THAT(b.begun, ElementsAre("a", "b"));
}

TEST(Controller, RunsNothingBeforeItsInformersAreSynced) {
  Bench b;
  b.create("a");
  b.server.set_down(true);
  b.start();
  b.controller->enqueue({"default", "a"});
  b.settle(minutes(1));
  EXPECT_THAT(b.begun, IsEmpty());
  b.server.set_down(false);
  b.settle(minutes(2));
  EXPECT_THAT(b.begun, ElementsAre("a"));
}

TEST(Controller, ANeededKindThatIsForbiddenHoldsItAMappedOneDoesNot) {
  for (const bool needed : {true, false}) {
    Bench b;
    b.create("a");
    b.server.access().allow("davit", {"", "configmaps", {"list", "watch"}, "", ""});
    Informer pods(b.davit, b.random, kube::kPods, {});
    b.make();
    b.controller->watches(b.maps);
    if (needed) b.controller->needs(pods);
    b.controller->watches(pods, [](const Change&) { return std::vector<ObjectKey>{}; });
    b.scope->spawn(pods.run());
    b.run_all();
    EXPECT_EQ(b.begun.size(), needed ? 0U : 1U);
    b.scope.reset();
  }
}

TEST(Controller, OneKeyAtATimeManyKeysAtOnce) {
  Bench b;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) b.create(name);
  b.options.concurrency = 3;
  b.work = [&b](ObjectKey) -> io::Task<Result<Outcome>> {
    co_await io::sleep_for(b.loop, seconds(10));
    co_return Outcome{};
  };
  b.start();
  for (int i = 0; i < 20; ++i) {
    b.touch("a", std::to_string(i));
    b.settle(milliseconds(700));
  }
  b.settle(minutes(2));
  EXPECT_EQ(b.most_at_once, 3);
  EXPECT_LT(std::ranges::count(b.begun, "a"), 6) << "changes during a reconcile are one more run";
  EXPECT_GE(std::ranges::count(b.begun, "a"), 2);
}

TEST(Controller, FailuresBackOffAndAreTold) {
  Bench b;
  int told = 0;
  b.options.on_error = [&told](const ObjectKey&, const Error& error) {
    EXPECT_EQ(error.code(), Code::kUnavailable);
    ++told;
  };
  b.work = [](ObjectKey) -> io::Task<Result<Outcome>> { co_return fail(Code::kUnavailable, "no"); };
  b.create("a");
  b.start();
  b.settle(minutes(30));
  EXPECT_EQ(static_cast<std::size_t>(told), b.begun.size());
  EXPECT_LT(b.begun.size(), 40U);
  EXPECT_GT(b.begun.size(), 8U);
}

TEST(Controller, AThrowingReconcileIsAnErrorOfOurs) {
  Bench b;
  std::string message;
  b.options.on_error = [&message](const ObjectKey&, const Error& error) {
    EXPECT_EQ(error.code(), Code::kInternal);
    message = error.message();
  };
  b.work = [](ObjectKey) -> io::Task<Result<Outcome>> {
    throw std::runtime_error("oops");
    co_return Outcome{};
  };
  b.create("a");
  b.start();
  EXPECT_THAT(message, testing::HasSubstr("oops"));
}

TEST(Controller, RequeuesWhenAsked) {
  Bench b;
  b.work = [](ObjectKey) -> io::Task<Result<Outcome>> {
    co_return Outcome{.requeue_after = seconds(30)};
  };
  b.create("a");
  b.start();
  b.settle(seconds(95));
  EXPECT_EQ(b.begun.size(), 4U);
}

TEST(Controller, LooksAtEverythingOnceAResync) {
  Bench b;
  b.create("a");
  b.create("b");
  b.start();
  b.settle(minutes(10));
  EXPECT_EQ(b.begun.size(), 4U);
}

TEST(Controller, ChildrenEnqueueTheirController) {
  Bench b;
  Informer pods(b.davit, b.random, kube::kPods, {});
  b.make();
  b.controller->owns(pods, kConfigMaps);
  b.scope->spawn(pods.run());
  b.run_all();
  json::object pod = sim::object_of(R"({"apiVersion": "v1", "kind": "Pod",
    "metadata": {"name": "p", "namespace": "default", "ownerReferences": [
      {"apiVersion": "v1", "kind": "ConfigMap", "name": "mine", "uid": "1", "controller": true},
      {"apiVersion": "v1", "kind": "ConfigMap", "name": "friend", "uid": "2"}]},
    "spec": {"containers": [{"name": "a", "image": "b:1"}]}})");
  b.server.collector().set_enabled(false);
  b.must(b.client.create(kube::kPods, pod, kTester));
  b.settle();
  EXPECT_THAT(b.begun, ElementsAre("mine"));
  b.scope.reset();
}

TEST(Controller, AnObjectOlderThanOurOwnWriteWaits) {
  Bench b;
  b.create("a");
  b.start();
  b.begun.clear();
  b.server.watches().freeze(true);
  const ObjectKey key{"default", "a"};
  const json::object written =
      b.must(b.client.patch(kConfigMaps, key, kube::PatchType::kMerge,
                            sim::object_of(R"({"data": {"key": "ours"}})"), kTester));
  b.maps.wrote(key, kube::version_of(written));
  b.controller->enqueue(key);
  b.settle(seconds(5));
  EXPECT_THAT(b.begun, IsEmpty());
  b.server.watches().freeze(false);
  b.settle();
  EXPECT_FALSE(b.begun.empty());
}

TEST(Controller, KeysThatAreNotOursWaitUntilTheyAre) {
  Bench b;
  bool ours = false;
  b.create("a");
  b.make();
  b.controller->watches(b.maps);
  b.controller->set_owns_key([&ours](const ObjectKey&) { return ours; });
  b.run_all();
  b.settle(minutes(1));
  EXPECT_THAT(b.begun, IsEmpty());
  ours = true;
  b.settle(seconds(2));
  EXPECT_THAT(b.begun, ElementsAre("a"));
}

TEST(Controller, LosingAKeyEndsItsReconcileAtOnce) {
  Bench b;
  bool ours = true;
  b.create("a");
  b.work = [&b](ObjectKey) -> io::Task<Result<Outcome>> {
    co_await io::sleep_for(b.loop, minutes(1));
    ADD_FAILURE() << "went on without the lease";
    co_return Outcome{};
  };
  b.make();
  b.controller->watches(b.maps);
  b.controller->set_owns_key([&ours](const ObjectKey&) { return ours; });
  b.run_all();
  EXPECT_EQ(b.at_once, 1);
  ours = false;
  b.controller->ownership_changed();
  EXPECT_EQ(b.at_once, 0);
  b.settle(minutes(5));
  b.work = {};
  ours = true;
  b.settle(seconds(2));
  EXPECT_THAT(b.begun, ElementsAre("a", "a"));
}

TEST(Controller, DestroyedAtAnyStepItLeavesNothingAndSendsNothing) {
  for (std::size_t steps = 0; steps < 120; steps += 3) {
    Bench b;
    for (const char* name : {"a", "b", "c"}) b.create(name);
    b.settle();
    const std::size_t pending = b.loop.pending();
    b.work = [&b](ObjectKey key) -> io::Task<Result<Outcome>> {
      auto live = co_await b.davit.get(kConfigMaps, key);
      co_await io::sleep_for(b.loop, milliseconds(5));
      json::object patch{{"data", json::object{{"key", std::to_string(b.begun.size())}}}};
      (void)co_await b.davit.patch(kConfigMaps, key, kube::PatchType::kMerge, std::move(patch),
                                   kTester);
      co_return Outcome{.requeue_after = seconds(1)};
    };
    b.make();
    b.controller->watches(b.maps);
    b.scope->spawn(b.maps.run());
    b.scope->spawn(b.controller->run());
    for (std::size_t i = 0; i < steps; ++i) b.loop.step({Duration::max()});
    b.scope.reset();
    b.controller.reset();
    EXPECT_EQ(b.loop.pending(), pending) << "after " << steps << " steps";
    EXPECT_EQ(b.at_once, 0);
    const std::size_t sent = b.server.log().size();
    b.settle(minutes(1));
    EXPECT_EQ(b.server.log().size(), sent);
  }
}

}  // namespace
}  // namespace davit::runtime
