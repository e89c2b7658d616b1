#include "sim/serve/table.hpp"

#include <gtest/gtest.h>

#include "sim/serve/builtin_columns.hpp"
#include "wire/time.hpp"

namespace davit::sim {
namespace {

json::object parse(std::string_view text) { return wire::parse_json_object(text).value(); }

WallTime now() { return wire::parse_time("2026-01-01T01:00:00Z").value(); }

ResourceType type_of(const std::string& plural) {
  ResourceType type;
  type.plural = plural;
  return type;
}

// The cells of one object, space-separated; wide ones after a bar.
std::string cells(const Columns& columns, const json::object& object) {
  const TableMaker maker(std::make_shared<const Columns>(columns), RowObject::kNone);
  const json::object table = maker.table(object, now());
  std::string text;
  bool wide = false;
  const json::array& row = table.at("rows").at(0).at("cells").as_array();
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (columns[i].priority > 0 && !std::exchange(wide, true)) text += "| ";
    text += row[i].is_string() ? std::string(row[i].get_string()) : json::serialize(row[i]);
    text += ' ';
  }
  text.pop_back();
  return text;
}

const char* const kCrd = R"({"spec": {"versions": [{"name": "v1", "additionalPrinterColumns": [
    {"name": "Ready", "type": "string", "jsonPath": ".status.ready"},
    {"name": "Height", "type": "integer", "jsonPath": ".status.height"},
    {"name": "As-Of", "type": "date", "jsonPath": ".status.asOf"},
    {"name": "Tier", "type": "integer", "jsonPath": ".spec.tier", "priority": 1}]}]}})";

TEST(Table, CustomColumnsFollowTheCrd) {
  const Columns columns = custom_columns(parse(kCrd), "v1");
  EXPECT_EQ(cells(columns, parse(R"({"metadata": {"name": "bn1"}, "spec": {"tier": 1},
      "status": {"ready": "True", "height": 412, "asOf": "2026-01-01T00:59:40Z"}})")),
            "bn1 True 412 20s | 1");
}

TEST(Table, AMissingValueIsAnEmptyCell) {
  const Columns columns = custom_columns(parse(kCrd), "v1");
  EXPECT_EQ(cells(columns, parse(R"({"metadata": {"name": "bn1"}})")), "bn1 null null null | null");
}

TEST(Table, ACrdWithoutColumnsHasAnAge) {
  const Columns columns =
      custom_columns(parse(R"({"spec": {"versions": [{"name": "v1"}]}})"), "v1");
  EXPECT_EQ(cells(columns, parse(R"({"metadata": {"name": "a",
      "creationTimestamp": "2026-01-01T00:00:00Z"}})")),
            "a 60m");
}

TEST(Table, AgesOfUnknownAndOddTimes) {
  EXPECT_EQ(age("", now()), "<unknown>");
  EXPECT_EQ(age("yesterday", now()), "<invalid>");
  EXPECT_EQ(age("2026-01-01T00:59:15Z", now()), "45s");
}

const char* const kPod = R"({"metadata": {"name": "bn1-0",
    "creationTimestamp": "2026-01-01T00:57:00Z"},
  "spec": {"nodeName": "worker-1", "initContainers": [{"name": "wrap"},
    {"name": "agent", "restartPolicy": "Always"}], "containers": [{"name": "server"}]},
  "status": {"phase": "Running", "podIP": "10.0.0.7",
    "conditions": [{"type": "Initialized", "status": "True"}],
    "initContainerStatuses": [
      {"name": "wrap", "state": {"terminated": {"exitCode": 0, "reason": "Completed"}}},
      {"name": "agent", "started": true, "ready": true, "state": {"running": {}}}],
    "containerStatuses": [{"name": "server", "ready": true, "restartCount": 2,
      "state": {"running": {}},
      "lastState": {"terminated": {"exitCode": 1, "finishedAt": "2026-01-01T00:58:00Z"}}}]}})";

TEST(Table, APodThatRuns) {
  EXPECT_EQ(cells(builtin_columns(type_of("pods")), parse(kPod)),
            "bn1-0 2/2 Running 2 (2m ago) 3m | 10.0.0.7 worker-1 <none> <none>");
}

TEST(Table, WordsForThePhasesOfAPod) {
  const auto status = [](const std::function<void(json::object&)>& change) {
    json::object pod = parse(kPod);
    change(pod);
    return summarise_pod(pod, now()).status;
  };
  EXPECT_EQ(status([](json::object& pod) {
              pod["metadata"].as_object()["deletionTimestamp"] = "2026-01-01T00:59:00Z";
            }),
            "Terminating");
  EXPECT_EQ(status([](json::object& pod) {
              pod["status"].as_object()["containerStatuses"] = json::array{parse(
                  R"({"name": "server", "state": {"waiting": {"reason": "CrashLoopBackOff"}}})")};
            }),
            "CrashLoopBackOff");
  EXPECT_EQ(status([](json::object& pod) {
              pod["status"].as_object()["containerStatuses"] = json::array{
                  parse(R"({"name": "server", "state": {"terminated": {"exitCode": 3}}})")};
            }),
            "ExitCode:3");
  EXPECT_EQ(status([](json::object& pod) {
              json::object& state = pod["status"].as_object();
              state["conditions"] = json::array{};
              state["phase"] = "Pending";
              state["initContainerStatuses"] = json::array{parse(
                  R"({"name": "wrap", "state": {"waiting": {"reason": "PodInitializing"}}})")};
            }),
            "Init:0/2");
  EXPECT_EQ(status([](json::object& pod) { pod["status"] = parse(R"({"phase": "Pending"})"); }),
            "Pending");
}

TEST(Table, BuiltinKinds) {
  const std::string meta =
      R"("metadata": {"name": "x", "creationTimestamp": "2026-01-01T00:00:00Z"})";
  const auto row = [&](const std::string& plural, const std::string& rest) {
    return cells(builtin_columns(type_of(plural)), parse("{" + meta + ", " + rest + "}"));
  };
  EXPECT_EQ(row("statefulsets", R"("spec": {"replicas": 1, "template": {"spec": {"containers":
      [{"name": "server", "image": "a:1"}]}}}, "status": {"readyReplicas": 1})"),
            "x 1/1 60m | server a:1");
  EXPECT_EQ(row("services", R"("spec": {"type": "ClusterIP", "clusterIP": "10.1.0.1", "ports":
      [{"port": 80}, {"port": 443, "protocol": "TCP", "nodePort": 30443}], "selector": {"a": "b"}})"),
            "x ClusterIP 10.1.0.1 <none> 80/TCP,443:30443/TCP 60m | a=b");
  EXPECT_EQ(row("persistentvolumeclaims",
                R"("spec": {"volumeName": "pv1", "storageClassName": "standard"},
      "status": {"phase": "Bound", "capacity": {"storage": "5Gi"}, "accessModes": ["ReadWriteOnce"]})"),
            "x Bound pv1 5Gi RWO standard <unset> 60m | <unset>");
  EXPECT_EQ(row("poddisruptionbudgets",
                R"("spec": {"maxUnavailable": 1}, "status": {"disruptionsAllowed": 1})"),
            "x N/A 1 1 60m");
  EXPECT_EQ(row("configmaps", R"("data": {"a": "1", "b": "2"}, "binaryData": {"c": ""})"),
            "x 3 60m");
  EXPECT_EQ(row("clusterroles", R"("rules": [])"), "x 2026-01-01T00:00:00Z");
}

TEST(Table, NodesSayWhetherTheyAreReady) {
  const Columns columns = builtin_columns(type_of("nodes"));
  EXPECT_EQ(cells(columns, parse(R"({"metadata": {"name": "w", "labels":
      {"node-role.kubernetes.io/worker": ""}}, "spec": {"unschedulable": true}, "status":
      {"conditions": [{"type": "Ready", "status": "False"}],
       "nodeInfo": {"kubeletVersion": "v1.36.3"}}})")),
            "w NotReady,SchedulingDisabled worker <unknown> v1.36.3 | <none> <none> <unknown> "
            "<unknown> <unknown>");
}

TEST(Table, EventsOfBothForms) {
  const Columns columns = builtin_columns(type_of("events"));
  EXPECT_EQ(cells(columns, parse(R"({"metadata": {"name": "e"}, "type": "Normal", "reason": "Ready",
      "regarding": {"kind": "BlockNode", "name": "bn1"}, "note": "serves",
      "eventTime": "2026-01-01T00:59:00.000000Z", "reportingController": "davit",
      "series": {"count": 3, "lastObservedTime": "2026-01-01T00:59:30.000000Z"}})")),
            "30s Normal Ready blocknode/bn1 |  davit serves 60s 3 e");
  EXPECT_EQ(cells(columns, parse(R"({"metadata": {"name": "e"}, "type": "Warning", "reason": "Bad",
      "involvedObject": {"kind": "Pod", "name": "p"}, "message": "no",
      "lastTimestamp": "2026-01-01T00:58:00Z"})"))
                .substr(0, 25),
            "2m Warning Bad pod/p |  "
            " ");
}

TEST(Table, RowsCarryMetadataTheObjectOrNothing) {
  const auto columns = std::make_shared<const Columns>(builtin_columns(type_of("configmaps")));
  const json::object object = parse(R"({"metadata": {"name": "x"}, "data": {"a": "1"}})");
  const auto carried = [&](RowObject what) {
    return TableMaker(columns, what).table(object, now()).at("rows").at(0).at("object");
  };
  EXPECT_EQ(carried(RowObject::kWhole), json::value(object));
  EXPECT_EQ(carried(RowObject::kNone), json::value(nullptr));
  EXPECT_EQ(carried(RowObject::kMetadata).at("kind"), "PartialObjectMetadata");
  EXPECT_FALSE(carried(RowObject::kMetadata).as_object().contains("data"));
}

TEST(Table, AListBecomesItsRowsAndKeepsItsVersion) {
  const auto columns = std::make_shared<const Columns>(builtin_columns(type_of("configmaps")));
  const json::object table = TableMaker(columns, RowObject::kNone)
                                 .table(parse(R"({"kind": "ConfigMapList", "metadata":
      {"resourceVersion": "7", "continue": "abc"}, "items": [{"metadata": {"name": "a"}},
      {"metadata": {"name": "b"}}]})"),
                                        now());
  EXPECT_EQ(table.at("rows").as_array().size(), 2U);
  EXPECT_EQ(table.at("metadata").at("resourceVersion"), "7");
  EXPECT_EQ(table.at("metadata").at("continue"), "abc");
  EXPECT_EQ(table.at("columnDefinitions").at(0).at("format"), "name");
}

}  // namespace
}  // namespace davit::sim
