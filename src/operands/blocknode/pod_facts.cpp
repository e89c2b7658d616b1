#include "operands/blocknode/pod_facts.hpp"

#include <fmt/format.h>

#include "operands/blocknode/names.hpp"

namespace davit::blocknode {

namespace {

std::string text(const json::object& object, std::string_view path) {
  return std::string(wire::find_string(object, path));
}

std::string member_of(const json::object& object, std::string_view path, std::string_view name) {
  const json::object* members = wire::find_object(object, path);
  const json::value* value = members == nullptr ? nullptr : members->if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::optional<Ending> ending(const json::object& status, std::string_view path) {
  const json::object* terminated = wire::find_object(status, path);
  if (terminated == nullptr) return std::nullopt;
  return Ending{.code = wire::find_int(*terminated, "exitCode").value_or(0),
                .reason = text(*terminated, "reason"),
                .message = text(*terminated, "message"),
                .at = text(*terminated, "finishedAt")};
}

ContainerFacts container(const json::object& pod, std::string_view statuses,
                         std::string_view name) {
  ContainerFacts facts;
  const json::array* list = wire::find_array(pod, statuses);
  if (list == nullptr) return facts;
  for (const json::value& value : *list) {
    const json::object* status = value.if_object();
    if (status == nullptr || wire::find_string(*status, "name") != name) continue;
    facts.image = text(*status, "image");
    facts.waiting = text(*status, "state.waiting.reason");
    facts.waiting_message = text(*status, "state.waiting.message");
    facts.running = wire::find_object(*status, "state.running") != nullptr;
    facts.started = wire::find_bool(*status, "started", false);
    facts.running_since = text(*status, "state.running.startedAt");
    facts.ended = ending(*status, "state.terminated");
    facts.last_ended = ending(*status, "lastState.terminated");
    facts.restarts = wire::find_int(*status, "restartCount").value_or(0);
  }
  return facts;
}

void look_at_conditions(const json::object& pod, PodFacts& facts) {
  const json::array* conditions = wire::find_array(pod, "status.conditions");
  if (conditions == nullptr) return;
  for (const json::value& value : *conditions) {
    const json::object* condition = value.if_object();
    if (condition == nullptr) continue;
    const std::string_view type = wire::find_string(*condition, "type");
    const std::string_view status = wire::find_string(*condition, "status");
    if (type == "Ready") facts.ready = status == "True";
    if (type == "PodScheduled" && status == "False") {
      facts.unschedulable = true;
      facts.scheduling_message = text(*condition, "message");
    }
  }
}

}  // namespace

std::string PodFacts::run() const { return fmt::format("{}/{}", uid.value, server.restarts); }

PodFacts look_at_pod(const json::object& pod) {
  PodFacts facts;
  facts.uid = kube::uid_of(pod);
  facts.phase = text(pod, "status.phase");
  facts.ip = text(pod, "status.podIP");
  facts.host = text(pod, "spec.nodeName");
  facts.deleting = kube::is_deleting(pod);
  facts.message = text(pod, "status.message");
  facts.status_reason = text(pod, "status.reason");
  facts.template_digest = annotation_of(pod, kTemplateAnnotation);
  facts.version = annotation_of(pod, kVersionAnnotation);
  facts.config = annotation_of(pod, kConfigAnnotation);
  look_at_conditions(pod, facts);
  facts.copy_start = container(pod, "status.initContainerStatuses", "copy-start");
  facts.server = container(pod, "status.containerStatuses", "server");
  facts.agent = container(pod, "status.containerStatuses", "agent");
  return facts;
}

std::string annotation_of(const json::object& object, std::string_view name) {
  return member_of(object, "metadata.annotations", name);
}

std::string label_of(const json::object& object, std::string_view name) {
  return member_of(object, "metadata.labels", name);
}

}  // namespace davit::blocknode
