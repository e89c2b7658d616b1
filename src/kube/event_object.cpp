#include "kube/event_object.hpp"

#include "kube/text.hpp"

namespace davit::kube {

namespace {

constexpr std::size_t kMaxName = 253;
constexpr std::size_t kMaxWord = 128;  // reason, action, reportingInstance
constexpr std::size_t kMaxNote = 1024;

void copy_string(json::object& to, std::string_view name, const json::object& from,
                 std::string_view path) {
  if (const auto text = wire::find_string(from, path); !text.empty()) to[name] = text;
}

// The object's name, cut so that the suffix fits and the rest is still a DNS subdomain.
std::string event_name(std::string_view object, std::string_view suffix) {
  std::string name(object.substr(0, kMaxName - suffix.size() - 1));
  name.erase(name.find_last_not_of("-.") + 1);
  return name + "." + std::string(suffix);
}

}  // namespace

std::string_view to_string(EventType type) {
  return type == EventType::kWarning ? "Warning" : "Normal";
}

json::object make_event(const json::object& regarding, const EventText& text,
                        const EventOptions& options, std::string_view suffix, WallTime now) {
  const ObjectKey key = key_of(regarding);
  json::object metadata;
  metadata["name"] = event_name(key.name, suffix);
  metadata["namespace"] = key.ns.empty() ? "default" : std::string_view(key.ns);
  json::object reference;
  copy_string(reference, "apiVersion", regarding, "apiVersion");
  copy_string(reference, "kind", regarding, "kind");
  copy_string(reference, "namespace", regarding, "metadata.namespace");
  copy_string(reference, "name", regarding, "metadata.name");
  copy_string(reference, "uid", regarding, "metadata.uid");
  copy_string(reference, "resourceVersion", regarding, "metadata.resourceVersion");
  json::object event;
  event["apiVersion"] = kEvents.api_version();
  event["kind"] = kEvents.kind;
  event["metadata"] = std::move(metadata);
  event["eventTime"] = format_micro_time(now);
  event["reportingController"] = options.controller;
  event["reportingInstance"] =
      fit_text(options.instance.empty() ? options.controller : options.instance, kMaxWord);
  event["type"] = to_string(text.type);
  event["reason"] = fit_text(text.reason, kMaxWord);
  event["action"] = fit_text(text.action.empty() ? text.reason : text.action, kMaxWord);
  event["note"] = fit_text(text.note, kMaxNote);
  event["regarding"] = std::move(reference);
  return event;
}

json::object make_series_patch(std::int64_t count, WallTime last_seen) {
  json::object series;
  series["count"] = count;
  series["lastObservedTime"] = format_micro_time(last_seen);
  json::object patch;
  patch["series"] = std::move(series);
  return patch;
}

}  // namespace davit::kube
