#include "sim/serve/views.hpp"

#include <fmt/format.h>

#include "sim/serve/builtin_columns.hpp"

namespace davit::sim {

namespace {

void move_member(json::object& from, std::string_view name, json::object& to,
                 std::string_view new_name) {
  const auto found = from.find(name);
  if (found == from.end()) return;
  to[new_name] = std::move(found->value());
  from.erase(found);
}

}  // namespace

json::object core_event(const json::object& event) {
  json::object from = event;
  json::object to{{"kind", "Event"}, {"apiVersion", "v1"}};
  from.erase("kind");
  from.erase("apiVersion");
  move_member(from, "metadata", to, "metadata");
  move_member(from, "regarding", to, "involvedObject");
  move_member(from, "note", to, "message");
  move_member(from, "deprecatedSource", to, "source");
  move_member(from, "deprecatedFirstTimestamp", to, "firstTimestamp");
  move_member(from, "deprecatedLastTimestamp", to, "lastTimestamp");
  move_member(from, "deprecatedCount", to, "count");
  move_member(from, "reportingController", to, "reportingComponent");
  // What is left has the same name in both: reason, type, action, related, series, …
  for (auto& member : from) to[member.key()] = std::move(member.value());
  for (const char* missing : {"source", "involvedObject"}) {
    if (!to.contains(missing)) to[missing] = json::object{};
  }
  for (const char* missing : {"firstTimestamp", "lastTimestamp"}) {
    if (!to.contains(missing)) to[missing] = nullptr;
  }
  return to;
}

json::object scale_of(const json::object& workload) {
  json::object metadata;
  for (const char* name : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const auto* value = wire::find(workload, fmt::format("metadata.{}", name))) {
      metadata[name] = *value;
    }
  }
  json::object status{{"replicas", wire::find_int(workload, "status.replicas").value_or(0)}};
  if (const auto* labels = wire::find_object(workload, "spec.selector.matchLabels")) {
    status["selector"] = labels_text(labels);
  }
  return {
      {"kind", "Scale"},
      {"apiVersion", "autoscaling/v1"},
      {"metadata", std::move(metadata)},
      {"spec", json::object{{"replicas", wire::find_int(workload, "spec.replicas").value_or(0)}}},
      {"status", std::move(status)}};
}

Answer<json::object> patch_of_scale(const json::object& scale) {
  const auto replicas = wire::find_int(scale, "spec.replicas");
  if (!replicas) return bad_request("spec.replicas: Required value");
  json::object patch{{"spec", json::object{{"replicas", *replicas}}}};
  const std::string_view version = wire::find_string(scale, "metadata.resourceVersion");
  if (!version.empty()) patch["metadata"] = json::object{{"resourceVersion", version}};
  return patch;
}

}  // namespace davit::sim
