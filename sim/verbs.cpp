#include "sim/verbs.hpp"

#include <algorithm>
#include <charconv>

#include "sim/subresources.hpp"
#include "wire/yaml.hpp"

namespace davit::sim {

namespace {

int number_or(std::string_view text, int fallback) {
  int number = fallback;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Answer<json::value> body_of(const io::HttpRequest& request) {
  auto parsed = wire::parse_json(request.body);
  if (!parsed) return bad_request("the body cannot be read: " + parsed.error().message());
  return std::move(*parsed);
}

Answer<json::object> object_of(const io::HttpRequest& request, const ResourceType& type) {
  auto body = body_of(request);
  if (!body) return Refusal(body.error());
  if (!body->is_object()) return bad_request("the body is not an object");
  json::object& object = body->as_object();
  if (wire::find_string(object, "apiVersion") != type.api_version() ||
      wire::find_string(object, "kind") != type.kind) {
    return bad_request("the object provided is unrecognized (must be of type " + type.kind + ")");
  }
  return std::move(object);
}

io::HttpResponse answer(unsigned status, const Answer<Object>& object) {
  return object ? reply(status, **object) : reply(object.error());
}

WriteOptions noting(WriteOptions options, std::vector<std::string>& unknown) {
  options.unknown = &unknown;
  return options;
}

// One for each unknown field, unless the client wants none.
io::HttpResponse with_warnings(io::HttpResponse response, const Route& route,
                               const std::vector<std::string>& unknown) {
  if (route.parameter("fieldValidation") == "Ignore" || response.status >= 300) return response;
  for (const std::string& field : unknown) {
    const std::string text = json::serialize(json::string("unknown field \"" + field + "\""));
    response.headers.emplace_back("Warning", "299 - " + text);
  }
  return response;
}

// What the server says of options before it looks at anything else; nullopt: nothing.
std::optional<ApiError> refused_options(const Route& route, const char* kind) {
  const std::string_view validation = route.parameter("fieldValidation");
  if (!validation.empty() && validation != "Ignore" && validation != "Warn" &&
      validation != "Strict") {
    return invalid_options(kind,
                           {"FieldValueNotSupported",
                            "Unsupported value: " + json::serialize(json::string(validation)) +
                                R"(: supported values: "", "Ignore", "Strict", "Warn")",
                            "fieldValidation"})
        .error();
  }
  const std::string_view manager = route.parameter("fieldManager");
  if (manager.size() > 128) {
    return invalid_options(kind, {"FieldValueTooLong", "Too long: may not be more than 128 bytes",
                                  "fieldManager"})
        .error();
  }
  return std::nullopt;
}

std::optional<ApiError> refused_list_options(const Route& route) {
  const std::string_view match = route.parameter("resourceVersionMatch");
  const std::string_view version = route.parameter("resourceVersion");
  const std::string_view initial = route.parameter("sendInitialEvents");
  const auto refuse = [](std::string field, std::string why) {
    return invalid_options("ListOptions", {"FieldValueForbidden", "Forbidden: " + std::move(why),
                                           std::move(field)})
        .error();
  };
  if (!initial.empty() && route.verb != "watch") {
    return refuse("sendInitialEvents", "sendInitialEvents is forbidden for list");
  }
  if (!initial.empty() && match != "NotOlderThan") {
    return refuse("resourceVersionMatch",
                  "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match.empty()) return std::nullopt;
  if (route.verb == "watch" && initial.empty()) {
    return refuse("resourceVersionMatch",
                  "resourceVersionMatch is forbidden for watch unless "
                  "sendInitialEvents is provided");
  }
  if (route.verb == "watch") return std::nullopt;
  if (version.empty()) {
    return refuse("resourceVersionMatch",
                  "resourceVersionMatch is forbidden unless resourceVersion is provided");
  }
  if (match == "Exact" && version == "0") {
    return refuse("resourceVersionMatch",
                  "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
  }
  if (match != "Exact" && match != "NotOlderThan") {
    return invalid_options("ListOptions",
                           {"FieldValueNotSupported",
                            "Unsupported value: " + json::serialize(json::string(match)) +
                                R"(: supported values: "Exact", "NotOlderThan", "")",
                            "resourceVersionMatch"})
        .error();
  }
  return std::nullopt;
}

std::optional<ApiError> refused_delete_options(const json::object& body) {
  const auto refuse = [](const char* reason, std::string why, std::string field) {
    return invalid_options("DeleteOptions", {reason, std::move(why), std::move(field)}).error();
  };
  const std::string_view policy = wire::find_string(body, "propagationPolicy");
  if (!policy.empty() && body.contains("orphanDependents")) {
    return refuse("FieldValueInvalid",
                  "Invalid value: " + json::serialize(json::string(policy)) +
                      ": orphanDependents and deletionPropagation cannot be both set",
                  "propagationPolicy");
  }
  if (!policy.empty() && policy != "Background" && policy != "Foreground" && policy != "Orphan") {
    return refuse("FieldValueNotSupported",
                  "Unsupported value: " + json::serialize(json::string(policy)) +
                      R"(: supported values: "Foreground", "Background", "Orphan", "nil")",
                  "propagationPolicy");
  }
  const json::array* dry = wire::find_array(body, "dryRun");
  for (const json::value& entry : dry ? *dry : json::array()) {
    if (entry == json::value("All")) continue;
    return refuse("FieldValueNotSupported",
                  "Unsupported value: " + json::serialize(*dry) + R"(: supported values: "All")",
                  "dryRun");
  }
  return std::nullopt;
}

io::HttpResponse serve_patch(Operations& operations, const Route& route,
                             const io::HttpRequest& request) {
  const std::string_view type =
      io::find_header(request.headers, "Content-Type").value_or("application/json");
  PatchKind kind = PatchKind::kMerge;
  if (type.starts_with("application/json-patch+json")) {
    kind = PatchKind::kJson;
  } else if (type.starts_with("application/strategic-merge-patch+json")) {
    kind = PatchKind::kStrategic;
  } else if (type.starts_with("application/apply-patch+yaml")) {
    kind = PatchKind::kApply;
  } else if (!type.starts_with("application/merge-patch+json")) {
    return reply(
        not_served(415, "UnsupportedMediaType", "the body of the request was in an unknown format")
            .error());
  }
  std::vector<std::string> unknown;
  const WriteOptions options = noting(write_options(route, request), unknown);
  if (kind == PatchKind::kApply && route.parameter("fieldManager").empty()) {
    return reply(invalid_options("PatchOptions",
                                 {"FieldValueRequired",
                                  "Required value: is required for apply patch", "fieldManager"})
                     .error());
  }
  if (kind != PatchKind::kApply && !route.parameter("force").empty()) {
    return reply(invalid_options("PatchOptions",
                                 {"FieldValueForbidden",
                                  "Forbidden: may not be specified for non-apply patch", "force"})
                     .error());
  }
  auto body = body_of(request);
  if (!body && kind == PatchKind::kApply) {
    auto documents = wire::parse_yaml(request.body);
    if (documents && documents->size() == 1) body = std::move(documents->front());
  }
  if (!body) return reply(body.error());
  bool created = false;
  const auto patched = operations.patch(*route.type, route.key(), kind, *body, options, &created);
  return with_warnings(answer(created ? 201 : 200, patched), route, unknown);
}

Answer<DeleteOptions> delete_options_of(const Route& route, const io::HttpRequest& request) {
  DeleteOptions options;
  if (!request.body.empty()) {
    auto body = body_of(request);
    if (!body || !body->is_object()) return bad_request("the body cannot be read");
    if (auto refused = refused_delete_options(body->as_object())) return Refusal(*refused);
    options = delete_options(body->as_object());
  } else {
    // What kubectl and curl may say in the query in place of a body.
    const std::string_view policy = route.parameter("propagationPolicy");
    if (!policy.empty()) options.propagation = policy;
    const std::string_view grace = route.parameter("gracePeriodSeconds");
    if (!grace.empty()) options.grace_seconds = number_or(grace, 0);
  }
  options.dry_run = options.dry_run || route.parameter("dryRun") == "All";
  return options;
}

io::HttpResponse serve_delete(Operations& operations, const Route& route,
                              const io::HttpRequest& request) {
  const auto options = delete_options_of(route, request);
  if (!options) return reply(options.error());
  bool gone = false;
  const auto removed = operations.remove(*route.type, route.key(), *options, &gone);
  if (!removed || !gone || route.type->returns_deleted) return answer(200, removed);
  json::object details{
      {"name", route.name}, {"kind", route.type->plural}, {"uid", kube::uid_of(**removed).value}};
  if (!route.type->group.empty()) details["group"] = route.type->group;
  return reply(200, json::object{{"kind", "Status"},
                                 {"apiVersion", "v1"},
                                 {"metadata", json::object{}},
                                 {"status", "Success"},
                                 {"details", std::move(details)}});
}

Answer<ListQuery> list_query(const Route& route) {
  auto watch = watch_query(route);
  if (!watch) return Refusal(watch.error());
  ListQuery query;
  query.ns = route.ns;
  query.labels = std::move(watch->labels);
  query.fields = std::move(watch->fields);
  query.version = route.parameter("resourceVersion");
  query.match = route.parameter("resourceVersionMatch");
  query.limit = static_cast<std::size_t>(std::max(0, number_or(route.parameter("limit"), 0)));
  query.continue_token = route.parameter("continue");
  return query;
}

json::object list_object(const ResourceType& type, json::object metadata,
                         const std::vector<Object>& objects) {
  json::array items;
  items.reserve(objects.size());
  for (const Object& object : objects) {
    json::object item = *object;
    // Items of built-in lists carry no kind of their own.
    if (!type.custom) {
      item.erase("apiVersion");
      item.erase("kind");
    }
    items.push_back(std::move(item));
  }
  return {{"kind", type.kind + "List"},
          {"apiVersion", type.api_version()},
          {"metadata", std::move(metadata)},
          {"items", std::move(items)}};
}

io::HttpResponse serve_list(Operations& operations, const Route& route) {
  const auto query = list_query(route);
  if (!query) return reply(query.error());
  const auto listing = operations.list(*route.type, *query);
  if (!listing) return reply(listing.error());
  json::object metadata{{"resourceVersion", std::to_string(listing->version)}};
  if (!listing->continue_token.empty()) {
    metadata["continue"] = listing->continue_token;
    // With a selector the server does not know how many are left.
    if (query->labels.empty() && query->fields.empty()) {
      metadata["remainingItemCount"] = listing->remaining;
    }
  } else if (route.type->custom) {
    metadata["continue"] = "";  // lists of custom kinds are written member by member
  }
  return reply(200, list_object(*route.type, std::move(metadata), listing->items));
}

io::HttpResponse serve_collection_deletion(Operations& operations, const Route& route,
                                           const io::HttpRequest& request) {
  const auto options = delete_options_of(route, request);
  if (!options) return reply(options.error());
  const auto query = list_query(route);
  if (!query) return reply(query.error());
  const auto removed = operations.remove_all(*route.type, *query, *options);
  if (!removed) return reply(removed.error());
  return reply(200, list_object(*route.type,
                                {{"resourceVersion", std::to_string(operations.store().version())}},
                                *removed));
}

json::object group_versions(const Registry& registry, const std::string& group) {
  json::array versions;
  std::string preferred;
  for (const ResourceType& type : registry.types()) {
    if (type.group != group || type.plural.starts_with("!")) continue;
    const json::object entry{{"groupVersion", type.api_version()}, {"version", type.version}};
    if (std::ranges::find(versions, json::value(entry)) == versions.end())
      versions.push_back(entry);
  }
  if (versions.empty()) return {};
  json::object first = versions.front().as_object();
  return {{"kind", "APIGroup"},
          {"apiVersion", "v1"},
          {"name", group},
          {"versions", std::move(versions)},
          {"preferredVersion", std::move(first)}};
}

json::object resource_list(const Registry& registry, const std::string& api_version) {
  json::array resources;
  for (const ResourceType& type : registry.types()) {
    if (type.api_version() != api_version || type.plural.starts_with("!")) continue;
    json::object entry{
        {"name", type.plural},
        {"singularName", ""},
        {"namespaced", type.namespaced},
        {"kind", type.kind},
        {"verbs", json::array{"create", "delete", "get", "list", "patch", "update", "watch"}}};
    json::object status = entry;
    resources.push_back(std::move(entry));
    if (!type.has_status) continue;
    status["name"] = type.plural + "/status";
    status["verbs"] = json::array{"get", "patch", "update"};
    resources.push_back(std::move(status));
  }
  if (resources.empty()) return {};
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", api_version},
          {"resources", std::move(resources)}};
}

}  // namespace

io::HttpResponse reply(unsigned status, const json::object& body) {
  return {status, {{"Content-Type", "application/json"}}, json::serialize(body)};
}

io::HttpResponse reply(const ApiError& error) {
  io::HttpResponse response = reply(error.code, error.status());
  if (error.retry_after_seconds > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(error.retry_after_seconds));
  }
  return response;
}

io::HttpResponse serve_resource(Operations& operations, const Route& route,
                                const io::HttpRequest& request) {
  const ResourceType& type = *route.type;
  if (type.plural == "pods" && route.subresource == "eviction" && route.verb == "create") {
    return serve_eviction(operations, route, request);
  }
  if (route.subresource == "scale" && has_scale(type)) {
    return serve_scale(operations, route, request);
  }
  if (!route.subresource.empty() && route.subresource != "status") {
    return reply(not_served(501, "NotImplemented",
                            "the simulator does not serve " + type.plural + "/" + route.subresource)
                     .error());
  }
  if (route.verb == "get") {
    const std::string_view version = route.parameter("resourceVersion");
    if (!std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; })) {
      return reply(unreadable_version(version).error());
    }
    return answer(200, operations.get(type, route.key()));
  }
  const char* options = route.verb == "create"   ? "CreateOptions"
                        : route.verb == "update" ? "UpdateOptions"
                                                 : "PatchOptions";
  if (route.verb == "create" || route.verb == "update" || route.verb == "patch") {
    if (const auto refused = refused_options(route, options)) return reply(*refused);
  }
  if (route.verb == "list") return serve_list(operations, route);
  if (route.verb == "patch") return serve_patch(operations, route, request);
  if (route.verb == "delete") return serve_delete(operations, route, request);
  if (route.verb == "deletecollection") {
    return serve_collection_deletion(operations, route, request);
  }
  if (route.verb == "create" && route.name.empty()) {
    auto object = object_of(request, type);
    if (!object) return reply(object.error());
    std::vector<std::string> unknown;
    const auto made = operations.create(type, route.ns, std::move(*object),
                                        noting(write_options(route, request), unknown));
    return with_warnings(answer(201, made), route, unknown);
  }
  if (route.verb == "update" && !route.name.empty()) {
    auto object = object_of(request, type);
    if (!object) return reply(object.error());
    bool created = false;
    std::vector<std::string> unknown;
    const auto written =
        operations.replace(type, route.key(), std::move(*object),
                           noting(write_options(route, request), unknown), &created);
    return with_warnings(answer(created ? 201 : 200, written), route, unknown);
  }
  return reply(not_served(405, "MethodNotAllowed",
                          "the server does not allow this method on the requested resource")
                   .error());
}

WriteOptions write_options(const Route& route, const io::HttpRequest& request) {
  WriteOptions options;
  const std::string_view manager = route.parameter("fieldManager");
  if (!manager.empty()) {
    options.manager = manager;
  } else if (const auto agent = io::find_header(request.headers, "User-Agent")) {
    options.manager = agent->substr(0, agent->find('/'));
  }
  options.subresource = route.subresource;
  options.force = route.parameter("force") == "true";
  options.dry_run = route.parameter("dryRun") == "All";
  options.strict = route.parameter("fieldValidation") == "Strict";
  return options;
}

DeleteOptions delete_options(const json::object& body) {
  DeleteOptions options;
  options.uid = wire::find_string(body, "preconditions.uid");
  options.version = wire::find_string(body, "preconditions.resourceVersion");
  options.propagation = wire::find_string(body, "propagationPolicy");
  if (wire::find_bool(body, "orphanDependents", false)) options.propagation = "Orphan";
  if (const auto grace = wire::find_int(body, "gracePeriodSeconds")) {
    options.grace_seconds = static_cast<int>(*grace);
  }
  const json::array* dry = wire::find_array(body, "dryRun");
  options.dry_run = dry && !dry->empty();
  return options;
}

io::HttpResponse serve_other(const Registry& registry, const Route& route) {
  if (route.path == "/version") {
    return reply(200, json::object{{"major", "1"},
                                   {"minor", "36"},
                                   {"gitVersion", "v1.36.3"},
                                   {"platform", "linux/amd64"}});
  }
  if (route.path == "/healthz" || route.path == "/livez" || route.path == "/readyz") {
    return {200, {{"Content-Type", "text/plain; charset=utf-8"}}, "ok"};
  }
  json::object found;
  if (route.path == "/api") {
    found = {{"kind", "APIVersions"}, {"apiVersion", "v1"}, {"versions", json::array{"v1"}}};
  } else if (route.path == "/apis") {
    json::array groups;
    std::vector<std::string> seen;
    for (const ResourceType& type : registry.types()) {
      if (type.group.empty() || std::ranges::find(seen, type.group) != seen.end()) continue;
      seen.push_back(type.group);
      if (json::object group = group_versions(registry, type.group); !group.empty()) {
        groups.push_back(std::move(group));
      }
    }
    found = {{"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
  } else if (route.path.starts_with("/apis/")) {
    const std::string rest = route.path.substr(6);
    found = rest.find('/') == std::string::npos ? group_versions(registry, rest)
                                                : resource_list(registry, rest);
  } else if (route.path.starts_with("/api/")) {
    found = resource_list(registry, route.path.substr(5));
  }
  if (!found.empty()) return reply(200, found);
  return reply(
      not_served(404, "NotFound", "the server could not find the requested resource").error());
}

Answer<WatchQuery> watch_query(const Route& route) {
  if (auto refused = refused_list_options(route)) return Refusal(*refused);
  WatchQuery query;
  query.type = route.type;
  query.ns = route.ns;
  query.name = route.name;
  auto labels = Selector::labels(route.parameter("labelSelector"));
  if (!labels) return Refusal(labels.error());
  query.labels = std::move(*labels);
  auto fields = Selector::fields(route.parameter("fieldSelector"));
  if (!fields) return Refusal(fields.error());
  query.fields = std::move(*fields);
  query.version = route.parameter("resourceVersion");
  query.bookmarks = route.parameter("allowWatchBookmarks") == "true";
  query.initial_events = route.parameter("sendInitialEvents") == "true";
  query.timeout_seconds = number_or(route.parameter("timeoutSeconds"), 0);
  return query;
}

}  // namespace davit::sim
