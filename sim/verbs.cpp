#include "sim/verbs.hpp"

#include <charconv>

#include "wire/yaml.hpp"

namespace davit::sim {

namespace {

int number_or(std::string_view text, int fallback) {
  int number = fallback;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

WriteOptions write_options(const Route& route) {
  WriteOptions options;
  const std::string_view manager = route.parameter("fieldManager");
  if (!manager.empty()) options.manager = manager;
  options.subresource = route.subresource;
  options.force = route.parameter("force") == "true";
  options.dry_run = route.parameter("dryRun") == "All";
  options.strict = route.parameter("fieldValidation") == "Strict";
  return options;
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

io::HttpResponse serve_list(Operations& operations, const Route& route) {
  auto watch = watch_query(route);
  if (!watch) return reply(watch.error());
  ListQuery query;
  query.ns = route.ns;
  query.labels = std::move(watch->labels);
  query.fields = std::move(watch->fields);
  query.version = route.parameter("resourceVersion");
  query.match = route.parameter("resourceVersionMatch");
  query.limit = static_cast<std::size_t>(std::max(0, number_or(route.parameter("limit"), 0)));
  query.continue_token = route.parameter("continue");
  const auto listing = operations.list(*route.type, query);
  if (!listing) return reply(listing.error());
  json::object metadata{{"resourceVersion", std::to_string(listing->version)}};
  if (!listing->continue_token.empty()) {
    metadata["continue"] = listing->continue_token;
    metadata["remainingItemCount"] = listing->remaining;
  }
  json::array items;
  for (const Object& object : listing->items) {
    json::object item = *object;
    // Items of built-in lists carry no kind of their own.
    if (!route.type->custom) {
      item.erase("apiVersion");
      item.erase("kind");
    }
    items.push_back(std::move(item));
  }
  return reply(200, json::object{{"kind", route.type->kind + "List"},
                                 {"apiVersion", route.type->api_version()},
                                 {"metadata", std::move(metadata)},
                                 {"items", std::move(items)}});
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
  const WriteOptions options = write_options(route);
  if (kind == PatchKind::kApply && route.parameter("fieldManager").empty()) {
    return reply(bad_request("fieldManager is required for apply patch").error());
  }
  if (kind != PatchKind::kApply && options.force) {
    return reply(bad_request("force may not be set for non-apply patch").error());
  }
  auto body = body_of(request);
  if (!body && kind == PatchKind::kApply) {
    auto documents = wire::parse_yaml(request.body);
    if (documents && documents->size() == 1) body = std::move(documents->front());
  }
  if (!body) return reply(body.error());
  bool created = false;
  const auto patched = operations.patch(*route.type, route.key(), kind, *body, options, &created);
  return answer(created ? 201 : 200, patched);
}

io::HttpResponse serve_delete(Operations& operations, const Route& route,
                              const io::HttpRequest& request) {
  DeleteOptions options;
  options.dry_run = route.parameter("dryRun") == "All";
  if (!request.body.empty()) {
    auto body = body_of(request);
    if (!body || !body->is_object()) return reply(bad_request("the body cannot be read").error());
    const json::object& object = body->as_object();
    options.uid = wire::find_string(object, "preconditions.uid");
    options.version = wire::find_string(object, "preconditions.resourceVersion");
    options.propagation = wire::find_string(object, "propagationPolicy", "Background");
    if (const auto grace = wire::find_int(object, "gracePeriodSeconds")) {
      options.grace_seconds = static_cast<int>(*grace);
    }
  }
  bool gone = false;
  const auto removed = operations.remove(*route.type, route.key(), options, &gone);
  if (!removed || !gone || route.type->graceful) return answer(200, removed);
  json::object details{
      {"name", route.name}, {"kind", route.type->plural}, {"uid", kube::uid_of(**removed).value}};
  if (!route.type->group.empty()) details["group"] = route.type->group;
  return reply(200, json::object{{"kind", "Status"},
                                 {"apiVersion", "v1"},
                                 {"metadata", json::object{}},
                                 {"status", "Success"},
                                 {"details", std::move(details)}});
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
  if (!route.subresource.empty() && route.subresource != "status") {
    return reply(not_served(501, "NotImplemented",
                            "the simulator does not serve " + type.plural + "/" + route.subresource)
                     .error());
  }
  if (route.verb == "get") return answer(200, operations.get(type, route.key()));
  if (route.verb == "list") return serve_list(operations, route);
  if (route.verb == "patch") return serve_patch(operations, route, request);
  if (route.verb == "delete") return serve_delete(operations, route, request);
  if (route.verb == "create" && route.name.empty()) {
    auto object = object_of(request, type);
    if (!object) return reply(object.error());
    return answer(201, operations.create(type, route.ns, std::move(*object), write_options(route)));
  }
  if (route.verb == "update" && !route.name.empty()) {
    auto object = object_of(request, type);
    if (!object) return reply(object.error());
    return answer(200,
                  operations.replace(type, route.key(), std::move(*object), write_options(route)));
  }
  return reply(not_served(405, "MethodNotAllowed",
                          "the server does not allow this method on the requested resource")
                   .error());
}

io::HttpResponse serve_access_review(const AccessControl& access, const std::string& user,
                                     const io::HttpRequest& request) {
  auto body = body_of(request);
  if (!body || !body->is_object()) return reply(bad_request("the body cannot be read").error());
  json::object review = body->as_object();
  const auto attribute = [&](std::string_view name) {
    return std::string(wire::find_string(review, "spec.resourceAttributes." + std::string(name)));
  };
  std::string resource = attribute("resource");
  if (!attribute("subresource").empty()) resource += "/" + attribute("subresource");
  const bool allowed = access.allows(user, attribute("verb"), attribute("group"), resource,
                                     attribute("namespace"), attribute("name"));
  review["status"] = json::object{{"allowed", allowed}};
  return reply(201, review);
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
