#include "sim/subresources.hpp"

#include <fmt/format.h>

#include "sim/controllers/eviction.hpp"
#include "sim/merge.hpp"
#include "sim/verbs.hpp"

namespace davit::sim {

namespace {

std::string selector_text(const json::object& object) {
  std::string text;
  if (const json::object* labels = wire::find_object(object, "spec.selector.matchLabels")) {
    for (const auto& [key, value] : *labels) {
      if (!text.empty()) text += ",";
      text += std::string(key) + "=" + std::string(value.as_string());
    }
  }
  return text;
}

json::object scale_of(const json::object& object) {
  json::object metadata;
  for (const std::string_view name :
       {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const json::value* value = wire::find(object, "metadata." + std::string(name))) {
      metadata[name] = *value;
    }
  }
  json::object status{{"replicas", wire::find_int(object, "status.replicas").value_or(0)}};
  if (std::string selector = selector_text(object); !selector.empty()) {
    status["selector"] = std::move(selector);
  }
  return {{"kind", "Scale"},
          {"apiVersion", "autoscaling/v1"},
          {"metadata", std::move(metadata)},
          {"spec", json::object{{"replicas", wire::find_int(object, "spec.replicas").value_or(0)}}},
          {"status", std::move(status)}};
}

}  // namespace

io::HttpResponse serve_eviction(Operations& operations, const Route& route,
                                const io::HttpRequest& request) {
  const auto eviction = wire::parse_json_object(request.body);
  if (!eviction) return reply(bad_request("the body cannot be read").error());
  if (wire::find_string(*eviction, "metadata.name") != route.name) {
    return reply(bad_request("name in URL does not match name in Eviction object").error());
  }
  const json::object* wanted = wire::find_object(*eviction, "deleteOptions");
  DeleteOptions options = wanted ? delete_options(*wanted) : DeleteOptions();
  options.dry_run = options.dry_run || route.parameter("dryRun") == "All";
  if (const auto evicted = evict(operations, route.key(), options); !evicted) {
    return reply(evicted.error());
  }
  return reply(201, json::object{{"kind", "Status"},
                                 {"apiVersion", "v1"},
                                 {"metadata", json::object{}},
                                 {"status", "Success"},
                                 {"code", 201}});
}

bool has_scale(const ResourceType& type) {
  return type.group == "apps" && (type.plural == "statefulsets" || type.plural == "deployments" ||
                                  type.plural == "replicasets");
}

io::HttpResponse serve_scale(Operations& operations, const Route& route,
                             const io::HttpRequest& request) {
  const ResourceType& type = *route.type;
  const Object live = operations.store().get(type, route.key());
  if (!live) return reply(not_found(type, route.name).error());
  if (route.verb == "get") return reply(200, scale_of(*live));
  auto body = wire::parse_json(request.body);
  if (!body) return reply(bad_request("the body cannot be read").error());
  json::value wanted = std::move(*body);
  if (route.verb == "patch") wanted = merge_patch(scale_of(*live), wanted);
  if (!wanted.is_object()) return reply(bad_request("the body is not a Scale").error());
  const auto replicas = wire::find_int(wanted.as_object(), "spec.replicas").value_or(0);
  if (replicas < 0) {
    ResourceType scale;
    scale.group = "autoscaling";
    scale.kind = "Scale";
    return reply(
        invalid(scale, route.name,
                {{"FieldValueInvalid",
                  fmt::format("Invalid value: {}: must be greater than or equal to 0", replicas),
                  "spec.replicas"}})
            .error());
  }
  json::object object = *live;
  wire::ensure_object(object, "spec")["replicas"] = replicas;
  const std::string_view version =
      wire::find_string(wanted.as_object(), "metadata.resourceVersion");
  if (!version.empty()) wire::ensure_object(object, "metadata")["resourceVersion"] = version;
  WriteOptions options = write_options(route, request);
  const auto written = operations.replace(type, route.key(), std::move(object), options);
  return written ? reply(200, scale_of(**written)) : reply(written.error());
}

}  // namespace davit::sim
