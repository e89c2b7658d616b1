#include "kube/watch_event.hpp"

#include <array>

#include "kube/status.hpp"

namespace davit::kube {

namespace {

using Type = WatchEvent::Type;

constexpr std::array<std::pair<std::string_view, Type>, 4> kTypes = {{
    {"ADDED", Type::kAdded},
    {"MODIFIED", Type::kModified},
    {"DELETED", Type::kDeleted},
    {"BOOKMARK", Type::kBookmark},
}};

// The Status has members that no projection names: read the line again, whole.
Error error_of_line(std::string_view line) {
  auto event = wire::parse_json_object(line);
  const json::object* status = event ? wire::find_object(*event, "object") : nullptr;
  if (status == nullptr) return {Code::kInvalid, "a watch's ERROR event without a Status"};
  return error_of_status(*status);
}

}  // namespace

std::string_view to_string(Type type) {
  for (const auto& [name, known] : kTypes) {
    if (known == type) return name;
  }
  return "UNKNOWN";
}

Result<WatchEvent> parse_watch_line(std::string_view line, const wire::Projection& projection,
                                    wire::ProjectionReader& reader) {
  auto event = reader.read(line, wire::Projection::envelope({{"type", wire::Projection::whole()},
                                                             {"object", projection}}));
  if (!event) return fail(std::move(event.error()).because("a watch event cannot be read"));
  const std::string_view name = wire::find_string(*event, "type");
  if (name == "ERROR") return fail(error_of_line(line));
  json::value* object = event->if_contains("object");
  if (object == nullptr || !object->is_object()) {
    return fail(Code::kInvalid, "a watch event without an object");
  }
  for (const auto& [known, type] : kTypes) {
    if (known == name) return WatchEvent{type, std::move(object->get_object())};
  }
  return fail(Code::kInvalid, "a watch event of unknown type");
}

Result<WatchEvent> parse_watch_line(std::string_view line, const wire::Projection& projection) {
  wire::ProjectionReader reader;
  return parse_watch_line(line, projection, reader);
}

Result<List> parse_list(std::string_view body, const Resource& resource,
                        const wire::Projection& projection, wire::ProjectionReader& reader) {
  auto document = reader.read(body, wire::Projection::envelope({{"items", projection}}));
  if (!document) return fail(std::move(document.error()).because("a list cannot be read"));
  List list;
  list.version = version_of(*document);
  list.continue_token = wire::find_string(*document, "metadata.continue");
  json::value* items = document->if_contains("items");
  // "items": null is what Go writes for an empty list of some kinds.
  if (items != nullptr && items->is_null()) return list;
  if (items == nullptr || !items->is_array()) return fail(Code::kInvalid, "a list without items");
  list.items.reserve(items->get_array().size());
  const std::string api_version = resource.api_version();
  for (json::value& item : items->get_array()) {
    json::object* object = item.if_object();
    if (object == nullptr) return fail(Code::kInvalid, "an item of a list is no object");
    (*object)["apiVersion"] = api_version;
    (*object)["kind"] = resource.kind;
    list.items.push_back(std::move(*object));
  }
  return list;
}

}  // namespace davit::kube
