#include "sim/watch.hpp"

#include <gmock/gmock.h>

#include "sim/test_cluster.hpp"

namespace davit::sim {
namespace {

using kube::kConfigMaps;
using std::chrono::seconds;

struct Watching {
  TestCluster c;
  std::unique_ptr<kube::WatchStream> stream;

  void open(kube::WatchOptions options) {
    auto opened = c.run(c.client.watch(kConfigMaps, "default", std::move(options)));
    ASSERT_TRUE(opened) << opened.error().describe();
    stream = std::move(*opened);
  }
  void open_now() {
    open({.version = ResourceVersion(std::to_string(c.server.store().version()))});
  }
  // "ADDED a", …; "end", or the error's code.
  std::string next(Duration wait = seconds(5)) {
    auto line = c.run(stream->next(io::Deadline::after(c.loop, wait)));
    if (!line) return std::string(to_string(line.error().code()));
    if (!*line) return "end";
    const json::object event = object_of(**line);
    const json::object& object = event.at("object").as_object();
    const std::string type(wire::find_string(event, "type"));
    if (type == "ERROR") return "ERROR " + std::to_string(*wire::find_int(object, "code"));
    return type + " " +
           (type == "BOOKMARK" ? kube::version_of(object).value : kube::key_of(object).name);
  }
  void create(const std::string& name) {
    c.must(c.client.create(kConfigMaps, config_map(name), kTester));
  }
};

TEST(Watch, TellsChangesInOrder) {
  Watching w;
  w.open_now();
  w.create("a");
  w.create("b");
  (void)w.c.run(w.c.client.remove(kConfigMaps, {"default", "a"}));
  EXPECT_EQ(w.next(), "ADDED a");
  EXPECT_EQ(w.next(), "ADDED b");
  EXPECT_EQ(w.next(), "DELETED a");
  EXPECT_EQ(w.next(), "DeadlineExceeded");
}

TEST(Watch, WithoutAVersionBeginsWithWhatIsThere) {
  Watching w;
  w.create("a");
  w.open({});
  EXPECT_EQ(w.next(), "ADDED a");
  w.create("b");
  EXPECT_EQ(w.next(), "ADDED b");
}

TEST(Watch, ResumesFromAVersion) {
  Watching w;
  w.create("a");
  const std::string version = std::to_string(w.c.server.store().version());
  w.create("b");
  w.open({.version = ResourceVersion(version)});
  EXPECT_EQ(w.next(), "ADDED b");
}

TEST(Watch, AVersionThatWasCompactedIsGone) {
  Watching w;
  w.create("a");
  const std::string version = std::to_string(w.c.server.store().version());
  w.create("b");
  w.c.server.store().compact();
  w.open({.version = ResourceVersion(version)});
  EXPECT_EQ(w.next(), "ERROR 410");
  EXPECT_EQ(w.next(), "end");
  w.c.server.watches().behaviour.gone_as_status = true;
  const auto opened =
      w.c.run(w.c.client.watch(kConfigMaps, "default", {.version = ResourceVersion(version)}));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code(), Code::kGone);
}

TEST(Watch, BookmarksMoveTheVersionOfAQuietKind) {
  Watching w;
  w.open_now();
  w.c.server.add_namespace("elsewhere");
  const std::string version = std::to_string(w.c.server.store().version());
  EXPECT_EQ(w.next(seconds(70)), "BOOKMARK " + version);
}

TEST(Watch, EndsAtItsTimeout) {
  Watching w;
  w.open({.version = ResourceVersion(std::to_string(w.c.server.store().version())),
          .timeout_seconds = 10});
  EXPECT_EQ(w.next(seconds(9)), "DeadlineExceeded");
  EXPECT_EQ(w.next(seconds(9)), "end");
}

TEST(Watch, EnteringAndLeavingTheSelectionIsAddedAndDeleted) {
  Watching w;
  w.create("a");
  w.open({.label_selector = "in=yes",
          .version = ResourceVersion(std::to_string(w.c.server.store().version()))});
  const auto label = [&](json::value value) {
    json::object labels{{"in", std::move(value)}};
    w.c.must(w.c.client.patch(
        kConfigMaps, {"default", "a"}, kube::PatchType::kMerge,
        json::object{{"metadata", json::object{{"labels", std::move(labels)}}}}, kTester));
  };
  label("yes");
  EXPECT_EQ(w.next(), "ADDED a");
  label("no");
  EXPECT_EQ(w.next(), "DELETED a");
}

TEST(Watch, LinesMayArriveInPiecesOfAnySize) {
  Watching w;
  w.c.server.watches().behaviour.piece_size = 7;
  w.open_now();
  w.create("a");
  w.create("b");
  EXPECT_EQ(w.next(), "ADDED a");
  EXPECT_EQ(w.next(), "ADDED b");
}

TEST(Watch, ACutConnectionIsAnError) {
  Watching w;
  w.open_now();
  w.c.server.watches().cut_all();
  EXPECT_EQ(w.next(), "Unavailable");
}

TEST(Watch, DestroyedStreamsLeaveNothingBehind) {
  Watching w;
  w.open_now();
  EXPECT_EQ(w.c.server.watches().open_streams(), 1U);
  {
    io::Scope scope(w.c.loop);
    auto wait = [](Watching& watching) -> io::Task<void> {
      (void)co_await watching.stream->next(io::Deadline::never());
    };
    scope.spawn(wait(w));
    w.c.loop.run_ready();
    EXPECT_GT(w.c.loop.pending(), 0U);
  }
  w.stream.reset();
  EXPECT_EQ(w.c.server.watches().open_streams(), 0U);
  EXPECT_EQ(w.c.loop.pending(), 0U);
}

}  // namespace
}  // namespace davit::sim
