#include "kube/request.hpp"

#include <algorithm>

namespace davit::kube {

namespace {

using wire::Query;

constexpr std::string_view kJson = "application/json";

Status check_segment(std::string_view what, std::string_view text) {
  const bool control = std::ranges::any_of(
      text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
  if (text.empty() || text == "." || text == ".." || control ||
      text.find_first_of("/%") != std::string_view::npos) {
    return fail(Code::kInvalid, std::string(what) + " is not usable as a name");
  }
  return {};
}

io::HttpRequest make(std::string method, std::string target, std::string body = {},
                     std::string_view content_type = kJson) {
  io::HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  request.headers.emplace_back("Accept", kJson);
  if (!body.empty()) request.headers.emplace_back("Content-Type", content_type);
  request.body = std::move(body);
  return request;
}

void add_if(Query& query, std::string_view name, std::string_view value) {
  if (!value.empty()) query.emplace_back(name, value);
}

// An object that is written must say what it is, and to us who writes it.
Status check_writable(const Resource& resource, json::object& object, const FieldManager& manager) {
  if (manager.empty()) return fail(Code::kInvalid, "a write needs a field manager");
  if (wire::find_string(object, "kind") != resource.kind ||
      wire::find_string(object, "apiVersion") != resource.api_version()) {
    return fail(Code::kInvalid, "the object is not a " + resource.qualified() + " of version " +
                                    std::string(resource.version) +
                                    ": apiVersion and kind must be set and match");
  }
  return {};
}

}  // namespace

Result<std::string> collection_path(const Resource& resource, std::string_view ns) {
  std::string path =
      resource.group.empty() ? "/api/" : "/apis/" + std::string(resource.group) + "/";
  path += resource.version;
  if (!ns.empty() && resource.namespaced) {
    if (auto ok = check_segment("the namespace", ns); !ok) return fail(std::move(ok.error()));
    path += "/namespaces/" + wire::percent_encode(ns);
  }
  path += '/';
  path += resource.plural;
  return path;
}

Result<std::string> object_path(const Resource& resource, const ObjectKey& key,
                                std::string_view subresource) {
  if (resource.namespaced && key.ns.empty()) {
    return fail(Code::kInvalid, resource.qualified() + " \"" + key.name + "\" needs a namespace");
  }
  if (auto ok = check_segment("the name", key.name); !ok) return fail(std::move(ok.error()));
  auto path = collection_path(resource, key.ns);
  if (!path) return path;
  *path += '/';
  *path += wire::percent_encode(key.name);
  if (!subresource.empty()) {
    *path += '/';
    *path += subresource;
  }
  return path;
}

Result<io::HttpRequest> get_request(const Resource& resource, const ObjectKey& key) {
  auto path = object_path(resource, key);
  if (!path) return fail(std::move(path.error()));
  return make("GET", std::move(*path));
}

Result<io::HttpRequest> list_request(const Resource& resource, std::string_view ns,
                                     const ListOptions& options) {
  auto path = collection_path(resource, ns);
  if (!path) return fail(std::move(path.error()));
  Query query;
  add_if(query, "labelSelector", options.label_selector);
  add_if(query, "fieldSelector", options.field_selector);
  if (options.limit > 0) query.emplace_back("limit", std::to_string(options.limit));
  if (options.continue_token.empty()) {
    add_if(query, "resourceVersion", options.resource_version);
    add_if(query, "resourceVersionMatch", options.resource_version_match);
  } else {
    // The token carries the version; the server refuses both together.
    query.emplace_back("continue", options.continue_token);
  }
  return make("GET", *path + wire::encode_query(query));
}

Result<io::HttpRequest> watch_request(const Resource& resource, std::string_view ns,
                                      const WatchOptions& options) {
  auto path = collection_path(resource, ns);
  if (!path) return fail(std::move(path.error()));
  Query query{{"watch", "1"}};
  add_if(query, "labelSelector", options.label_selector);
  add_if(query, "fieldSelector", options.field_selector);
  add_if(query, "resourceVersion", options.version.value);
  if (options.allow_bookmarks) query.emplace_back("allowWatchBookmarks", "true");
  if (options.timeout_seconds > 0) {
    query.emplace_back("timeoutSeconds", std::to_string(options.timeout_seconds));
  }
  return make("GET", *path + wire::encode_query(query));
}

Result<io::HttpRequest> create_request(const Resource& resource, json::object object,
                                       const FieldManager& manager, std::string_view subresource) {
  if (auto ok = check_writable(resource, object, manager); !ok) return fail(std::move(ok.error()));
  const ObjectKey key = key_of(object);
  if (resource.namespaced && key.ns.empty()) {
    return fail(Code::kInvalid, resource.qualified() + " \"" + key.name + "\" needs a namespace");
  }
  auto path = subresource.empty() ? collection_path(resource, key.ns)
                                  : object_path(resource, key, subresource);
  if (!path) return fail(std::move(path.error()));
  const Query query{{"fieldManager", manager.value}, {"fieldValidation", "Strict"}};
  return make("POST", *path + wire::encode_query(query), json::serialize(object));
}

Result<io::HttpRequest> replace_request(const Resource& resource, json::object object,
                                        const FieldManager& manager, std::string_view subresource) {
  if (auto ok = check_writable(resource, object, manager); !ok) return fail(std::move(ok.error()));
  auto path = object_path(resource, key_of(object), subresource);
  if (!path) return fail(std::move(path.error()));
  const Query query{{"fieldManager", manager.value}};
  return make("PUT", *path + wire::encode_query(query), json::serialize(object));
}

Result<io::HttpRequest> apply_request(const Resource& resource, json::object object,
                                      const ApplyOptions& options) {
  if (auto ok = check_writable(resource, object, options.manager); !ok) {
    return fail(std::move(ok.error()));
  }
  auto path = object_path(resource, key_of(object), options.status ? "status" : "");
  if (!path) return fail(std::move(path.error()));
  // The server refuses an apply that carries managedFields.
  if (json::object* metadata = object["metadata"].if_object()) metadata->erase("managedFields");
  Query query{{"fieldManager", options.manager.value}, {"fieldValidation", "Strict"}};
  if (options.force) query.emplace_back("force", "true");
  if (options.dry_run) query.emplace_back("dryRun", "All");
  return make("PATCH", *path + wire::encode_query(query), json::serialize(object),
              "application/apply-patch+yaml");
}

Result<io::HttpRequest> patch_request(const Resource& resource, const ObjectKey& key,
                                      PatchType type, const json::value& patch,
                                      const FieldManager& manager, std::string_view subresource) {
  if (manager.empty()) return fail(Code::kInvalid, "a write needs a field manager");
  auto path = object_path(resource, key, subresource);
  if (!path) return fail(std::move(path.error()));
  const Query query{{"fieldManager", manager.value}};
  std::string_view content_type;
  switch (type) {
    case PatchType::kMerge:
      content_type = "application/merge-patch+json";
      break;
    case PatchType::kJson:
      content_type = "application/json-patch+json";
      break;
    case PatchType::kStrategicMerge:
      content_type = "application/strategic-merge-patch+json";
      break;
  }
  return make("PATCH", *path + wire::encode_query(query), json::serialize(patch), content_type);
}

Result<io::HttpRequest> delete_request(const Resource& resource, const ObjectKey& key,
                                       const DeleteOptions& options) {
  auto path = object_path(resource, key);
  if (!path) return fail(std::move(path.error()));
  json::object body{{"apiVersion", "v1"}, {"kind", "DeleteOptions"}};
  switch (options.propagation) {
    case Propagation::kBackground:
      body["propagationPolicy"] = "Background";
      break;
    case Propagation::kForeground:
      body["propagationPolicy"] = "Foreground";
      break;
    case Propagation::kOrphan:
      body["propagationPolicy"] = "Orphan";
      break;
  }
  if (options.grace_seconds) body["gracePeriodSeconds"] = *options.grace_seconds;
  json::object preconditions;
  if (options.preconditions.uid) preconditions["uid"] = options.preconditions.uid->value;
  if (options.preconditions.version) {
    preconditions["resourceVersion"] = options.preconditions.version->value;
  }
  if (!preconditions.empty()) body["preconditions"] = std::move(preconditions);
  return make("DELETE", std::move(*path), json::serialize(body));
}

Result<io::HttpRequest> raw_request(std::string method, std::string target, std::string body) {
  const bool visible = std::ranges::all_of(target, [](char c) { return c > 0x20 && c < 0x7f; });
  if (!target.starts_with('/') || !visible) {
    return fail(Code::kInvalid, "a target begins with / and holds only visible ASCII");
  }
  return make(std::move(method), std::move(target), std::move(body));
}

}  // namespace davit::kube
