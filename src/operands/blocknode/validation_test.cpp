#include "operands/blocknode/validation.hpp"

#include <gmock/gmock.h>

#include "operands/blocknode/heap.hpp"
#include "operands/blocknode/java_options.hpp"

namespace davit::blocknode {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

BlockNode good_node() {
  BlockNode node{.key = {"ns", "bn1"}};
  node.spec.version = "0.40.1";
  node.spec.network.name = "solo";
  node.spec.resources.limits["memory"] = "2Gi";
  node.spec.storage.live.size = "5Gi";
  node.spec.storage.historic.size = "10Gi";
  node.spec.storage.application_state.size = "1Gi";
  node.spec.storage.logs.size = "1Gi";
  return node;
}

auto problem(std::string_view field, std::string_view message) {
  return ElementsAre(AllOf(Field(&Problem::field, std::string(field)),
                           Field(&Problem::message, HasSubstr(std::string(message)))));
}

std::vector<Problem> with(const std::string& key, const std::string& value) {
  BlockNode node = good_node();
  node.spec.extra_config[key] = value;
  return validate(node);
}

TEST(Validation, AGoodNodeHasNoProblem) { EXPECT_THAT(validate(good_node()), IsEmpty()); }

TEST(Validation, AVersionIsThreeNumbers) {
  BlockNode node = good_node();
  node.spec.version = "latest";
  EXPECT_THAT(validate(node), problem("spec.version", "\"latest\" is not a version"));
}

TEST(Validation, AVolumeHasASizeOrAClaim) {
  BlockNode node = good_node();
  node.spec.storage.live.existing_claim = "old";
  node.spec.storage.logs.size.reset();
  EXPECT_THAT(validate(node),
              ElementsAre(AllOf(Field(&Problem::field, "spec.storage.live"),
                                Field(&Problem::message, HasSubstr("both size (5Gi) and "
                                                                   "existingClaim (old)"))),
                          Field(&Problem::field, "spec.storage.logs")));
}

TEST(Validation, ASizeIsAboveZero) {
  for (const char* size : {"0", "-1Gi", "5 Gi", "many"}) {
    BlockNode node = good_node();
    node.spec.storage.historic.size = size;
    EXPECT_THAT(validate(node), problem("spec.storage.historic.size", "is not a size")) << size;
  }
}

TEST(Validation, ResourcesAreQuantitiesAndRequestsFitTheLimits) {
  BlockNode node = good_node();
  node.spec.resources.requests = {{"cpu", "two"}, {"memory", "4Gi"}};
  EXPECT_THAT(
      validate(node),
      ElementsAre(AllOf(Field(&Problem::field, "spec.resources.requests[cpu]"),
                        Field(&Problem::message, HasSubstr("\"two\" is not a quantity"))),
                  AllOf(Field(&Problem::field, "spec.resources.requests[memory]"),
                        Field(&Problem::message, HasSubstr("4Gi is more than the limit of 2Gi")))));
}

TEST(Validation, SettingsAreChecked) {
  EXPECT_THAT(with("SERVER_PRT", "40840"), problem("spec.extraConfig[SERVER_PRT]", "SERVER_PORT?"));
  EXPECT_THAT(with("BACKFILL_FETCH_BATCH_SIZE", "0"),
              problem("spec.extraConfig[BACKFILL_FETCH_BATCH_SIZE]", "from 1 to 1024"));
}

TEST(Validation, TheVersionOfTheServerComesFromTheSpec) {
  EXPECT_THAT(with("VERSION", "0.40.1"), IsEmpty());
  EXPECT_THAT(with("VERSION", "0.39.0"), problem("spec.extraConfig[VERSION]", "spec.version"));
}

TEST(Validation, PortsAreDavitsOwn) {
  EXPECT_THAT(with("SERVER_PORT", "40840"), IsEmpty());
  EXPECT_THAT(with("server.port", "40_840"), IsEmpty());
  EXPECT_THAT(with("SERVER_PORT", "40983"),
              problem("spec.extraConfig[SERVER_PORT]", "40983 is already the health port"));
  EXPECT_THAT(with("HEALTH_PORT", "16007"),
              problem("spec.extraConfig[HEALTH_PORT]", "16007 is already the metrics port"));
  EXPECT_THAT(with("HEALTH_PORT", "40990"), problem("spec.extraConfig[HEALTH_PORT]", "agent"));
  EXPECT_THAT(with("PRODUCER_PORT", "40984"),
              problem("spec.extraConfig[PRODUCER_PORT]", "spec.exposure.ports to Split"));
}

TEST(Validation, SplitPortsMayBeGivenAsTheyAre) {
  BlockNode node = good_node();
  node.spec.exposure.ports = "Split";
  node.spec.extra_config = {{"PRODUCER_PORT", "40984"}};
  EXPECT_THAT(validate(node), IsEmpty());
  node.spec.extra_config = {{"PRODUCER_PORT", "40980"}};
  EXPECT_THAT(validate(node),
              problem("spec.extraConfig[PRODUCER_PORT]", "40980 is already the subscriber port"));
}

TEST(Validation, PathsStayOnTheirVolumes) {
  EXPECT_THAT(with("FILES_RECENT_LIVE_ROOT_PATH", "/opt/hiero/block-node/data/live"), IsEmpty());
  EXPECT_THAT(with("FILES_RECENT_LIVE_ROOT_PATH", "/data"),
              problem("spec.extraConfig[FILES_RECENT_LIVE_ROOT_PATH]", "lost with the pod"));
  EXPECT_THAT(
      with("APP_STATE_BLOCK_RANGES_FILE_PATH", "/opt/hiero/block-node/application-state/r.json"),
      IsEmpty());
  EXPECT_THAT(
      with("APP_STATE_BLOCK_RANGES_FILE_PATH", "/opt/hiero/block-node/application-state/../r.json"),
      problem("spec.extraConfig[APP_STATE_BLOCK_RANGES_FILE_PATH]", "applicationState"));
  EXPECT_THAT(with("VERIFICATION_DUMP_ENABLED", "true"),
              problem("spec.extraConfig[VERIFICATION_DUMP_ENABLED]", "not writable"));
}

TEST(Validation, AHeapAboveTheLimitIsRefused) {
  EXPECT_THAT(with("JAVA_OPTS", "-Xmx1800m"), IsEmpty());
  EXPECT_THAT(
      with("JAVA_OPTS", "-Xms1g -Xmx16G"),
      problem("spec.extraConfig[JAVA_OPTS]",
              "a heap of 16Gi does not fit into spec.resources.limits[memory], which is 2Gi"));
  EXPECT_THAT(with("JAVA_TOOL_OPTIONS", "-XX:MaxHeapSize=3g"),
              problem("spec.extraConfig[JAVA_TOOL_OPTIONS]", "Davit then sets 1536m"));
  EXPECT_THAT(with("JAVA_OPTS", "-Xmx8388607t"),
              problem("spec.extraConfig[JAVA_OPTS]", "does not fit"));
}

TEST(Validation, TheCommandLineWinsOverTheToolOptions) {
  BlockNode node = good_node();
  node.spec.extra_config = {{"JAVA_TOOL_OPTIONS", "-Xmx16g"}, {"JAVA_OPTS", "-Xmx1g"}};
  EXPECT_THAT(validate(node), IsEmpty());
}

TEST(Validation, AnInitialHeapAboveTheHeapIsRefused) {
  EXPECT_THAT(with("JAVA_OPTS", "-Xms1700m"),
              problem("spec.extraConfig[JAVA_OPTS]", "derived from the memory limit"));
}

TEST(Validation, SystemPropertiesDoNotGoRoundTheChecks) {
  EXPECT_THAT(with("JAVA_OPTS", "-Dserver.port=80"),
              ElementsAre(Field(&Problem::message, HasSubstr("from 1024 to 65535")),
                          Field(&Problem::message, HasSubstr("Davit sets this port"))));
  EXPECT_THAT(
      with("JAVA_TOOL_OPTIONS", "-Dmetrics.exporter.openmetrics.http.port=1"),
      problem("spec.extraConfig[JAVA_TOOL_OPTIONS]: -Dmetrics.exporter.openmetrics.http.port",
              "16007"));
  EXPECT_THAT(with("JAVA_OPTS", "-Dsomebody.elses=1 -XX:+UseZGC"), IsEmpty());
}

TEST(Validation, HeapDumpsGoToAVolumeOrNowhere) {
  EXPECT_THAT(with("JAVA_OPTS", "-XX:+HeapDumpOnOutOfMemoryError"),
              problem("spec.extraConfig[JAVA_OPTS]", "HeapDumpPath"));
  EXPECT_THAT(with("JAVA_OPTS",
                   "-XX:+HeapDumpOnOutOfMemoryError -XX:HeapDumpPath=/opt/hiero/block-node/logs"),
              IsEmpty());
}

TEST(Validation, TooLittleMemoryIsToldWithTheLeast) {
  BlockNode node = good_node();
  node.spec.resources.limits["memory"] = "128Mi";
  const auto problems = validate(node);
  EXPECT_THAT(problems, problem("spec.resources.limits[memory]", "128Mi is too little"));
  EXPECT_THAT(problems[0].message, HasSubstr("at least 407Mi"));
  EXPECT_THAT(problems[0].message, HasSubstr("SERVER_SOCKET_RECEIVE_BUFFER_SIZE_BYTES to 131072"));
  node.spec.resources.limits["memory"] = "407Mi";
  EXPECT_THAT(validate(node), IsEmpty());
  node.spec.resources.limits["memory"] = "406Mi";
  EXPECT_EQ(validate(node).size(), 1U);
}

TEST(Heap, IsThreeQuartersOfALargeLimit) {
  const HeapPlan plan = plan_heap(std::int64_t{212} << 30, 130 * kMiB);
  EXPECT_EQ(plan.heap, std::int64_t{159} << 30);
  EXPECT_GT(plan.direct, 130 * kMiB);
  EXPECT_LE(plan.heap + plan.reserve + plan.direct, plan.limit);
}

TEST(Heap, LeavesRoomForSocketBuffersInASmallLimit) {
  const HeapPlan plan = plan_heap(512 * kMiB, 130 * kMiB);
  EXPECT_LT(plan.heap, 256 * kMiB);
  EXPECT_GE(plan.direct, plan.buffers);
}

TEST(Heap, NeverExceedsTheLimit) {
  for (std::int64_t mib = 300; mib < 100'000; mib += 37) {
    const HeapPlan plan = plan_heap(mib * kMiB, 16 * kMiB);
    ASSERT_LE(plan.heap + plan.reserve + plan.direct, plan.limit) << mib;
    ASSERT_GE(plan.heap, kLeastHeap - kMiB) << mib;
  }
}

TEST(Heap, TheLeastLimitIsTheLeast) {
  for (const std::int64_t buffers : {16 * kMiB, 130 * kMiB, 1000 * kMiB}) {
    const std::int64_t least = least_limit(buffers);
    EXPECT_GE(plan_heap(least, buffers).heap, kLeastHeap);
    EXPECT_LT(plan_heap(least - kMiB, buffers).heap, kLeastHeap);
  }
}

TEST(Heap, OptionsEndTheServerWhenMemoryIsOutAndDumpNothing) {
  EXPECT_EQ(java_options(good_node().spec),
            "-Xmx1536m -XX:MaxDirectMemorySize=281m -XX:+ExitOnOutOfMemoryError");
}

TEST(Heap, ComesFromTheRequestWithoutALimit) {
  BlockNodeSpec spec = good_node().spec;
  spec.resources = {.requests = {{"memory", "2Gi"}}, .limits = {}};
  EXPECT_THAT(java_options(spec), HasSubstr("-Xmx1536m"));
  spec.resources = {};
  EXPECT_THAT(java_options(spec), HasSubstr("-Xmx1024m"));
}

TEST(Heap, TheUsersOptionsWin) {
  BlockNodeSpec spec = good_node().spec;
  spec.extra_config["JAVA_OPTS"] = "-XX:+UseZGC";
  EXPECT_EQ(java_options(spec),
            "-Xmx1536m -XX:MaxDirectMemorySize=281m -XX:+ExitOnOutOfMemoryError -XX:+UseZGC");
  spec.extra_config["JAVA_OPTS"] = "-Xmx1g";
  EXPECT_EQ(java_options(spec), "-XX:+ExitOnOutOfMemoryError -Xmx1g");
}

TEST(JavaOptions, TheLastOneWins) {
  const JavaOptions options = parse_java_options("-Xmx1g  -Xmx2G\t\"-Da.b=c=d\" -Dflag");
  EXPECT_EQ(options.max_heap, std::int64_t{2} << 30);
  EXPECT_EQ(options.properties.at("a.b"), "c=d");
  EXPECT_EQ(options.properties.at("flag"), "");
}

TEST(JavaOptions, SizesOfJava) {
  EXPECT_EQ(parse_java_size("1024"), 1024);
  EXPECT_EQ(parse_java_size("1T"), std::int64_t{1} << 40);
  for (const char* text : {"", "g", "1gb", "-1g", "1.5g", "9999999999999t"}) {
    EXPECT_EQ(parse_java_size(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace davit::blocknode
