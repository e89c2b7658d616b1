#include "sim/serve/openapi.hpp"

#include <algorithm>

#include "sim/schemas/kubernetes_schemas.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kObjectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

std::string document_name(const ApiResource& resource) {
  return (resource.group.empty() ? "api/" : "apis/") + resource.api_version();
}

json::object gvk(const ApiResource& resource) {
  return {{"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}};
}

// "org.hiero.davit.v1alpha1.BlockNode"
std::string custom_component(const ApiResource& resource) {
  std::string reversed;
  std::string_view rest = resource.group;
  while (!rest.empty()) {
    const std::size_t dot = rest.rfind('.');
    reversed += rest.substr(dot == std::string_view::npos ? 0 : dot + 1);
    reversed += '.';
    rest = rest.substr(0, dot == std::string_view::npos ? 0 : dot);
  }
  return reversed + resource.version + "." + resource.kind;
}

bool defines(const json::value& definition, const ApiResource& resource) {
  const json::object* object = definition.if_object();
  const json::array* kinds =
      object ? wire::find_array(*object, "x-kubernetes-group-version-kind") : nullptr;
  if (!kinds || kinds->size() != 1) return false;
  const json::object& kind = kinds->front().as_object();
  return wire::find_string(kind, "kind") == resource.kind &&
         wire::find_string(kind, "version") == resource.version &&
         wire::find_string(kind, "group") == resource.group;
}

// "io.k8s.api.core.v1.Pod"
std::string component_name(const ApiResource& resource, const json::object& definitions) {
  if (resource.schema) return custom_component(resource);
  for (const auto& [name, definition] : definitions) {
    if (defines(definition, resource)) return std::string(name);
  }
  return custom_component(resource);
}

json::object reference(std::string_view component) {
  return {{"$ref", "#/components/schemas/" + std::string(component)}};
}

json::object text(std::string_view description) {
  return {{"type", "string"}, {"description", description}};
}

// Calls `take` with the name of each component that `value` refers to.
template <typename Take>
void for_each_reference(const json::value& value, Take& take) {
  constexpr std::string_view kPrefix = "#/components/schemas/";
  if (const json::array* array = value.if_array()) {
    for (const json::value& item : *array) for_each_reference(item, take);
  } else if (const json::object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      if (name == "$ref" && member.is_string()) {
        const std::string_view target = member.get_string();
        if (target.starts_with(kPrefix)) take(target.substr(kPrefix.size()));
      } else {
        for_each_reference(member, take);
      }
    }
  }
}

// Adds what is referred to, and what that refers to.
void close(json::object& schemas, const json::object& definitions) {
  std::vector<std::string> wanted;
  auto want = [&](std::string_view name) {
    if (!schemas.contains(name)) wanted.emplace_back(name);
  };
  for_each_reference(json::value(schemas), want);
  while (!wanted.empty()) {
    const std::string name = std::move(wanted.back());
    wanted.pop_back();
    if (schemas.contains(name)) continue;
    const json::value* definition = definitions.if_contains(name);
    schemas[name] = definition ? *definition : json::value(json::object{{"type", "object"}});
    for_each_reference(schemas[name], want);
  }
}

json::object kind_schema(const ApiResource& resource, const std::string& component,
                         const json::object& definitions) {
  if (const auto* known = definitions.if_contains(component)) return known->as_object();
  json::object schema =
      resource.schema
          ? *resource.schema
          : json::object{{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}};
  json::object& properties = wire::ensure_object(schema, "properties");
  if (!properties.contains("apiVersion")) {
    properties["apiVersion"] = text("Group and version of this object.");
  }
  if (!properties.contains("kind")) properties["kind"] = text("Kind of this object.");
  properties["metadata"] = reference(kObjectMeta);
  schema["x-kubernetes-group-version-kind"] = json::array{gvk(resource)};
  return schema;
}

json::object query_parameter(std::string_view name, std::string_view description) {
  return {{"name", name},
          {"in", "query"},
          {"description", description},
          {"schema", json::object{{"type", "string"}, {"uniqueItems", true}}}};
}

json::object operation(const ApiResource& resource, const std::string& component,
                       std::string_view action) {
  const json::object body{{"application/json", json::object{{"schema", reference(component)}}}};
  json::object result{
      {"x-kubernetes-action", action},
      {"x-kubernetes-group-version-kind", gvk(resource)},
      {"responses", json::object{{"200", json::object{{"description", "OK"}, {"content", body}}}}}};
  if (action == "get" || action == "list") return result;
  result["parameters"] =
      json::array{query_parameter("dryRun", "All: nothing is stored."),
                  query_parameter("fieldManager", "Who makes the change."),
                  query_parameter("fieldValidation",
                                  "Ignore, Warn or Strict: what to do about fields that are "
                                  "unknown or given twice.")};
  return result;
}

bool can(const ApiResource& resource, std::string_view verb) {
  return std::ranges::find(resource.verbs, verb) != resource.verbs.end();
}

void add_paths(const ApiResource& resource, const std::string& component, json::object& paths) {
  const std::string base = "/" + document_name(resource) +
                           (resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                           resource.plural;
  json::object many, one, patch;
  if (can(resource, "list")) many["get"] = operation(resource, component, "list");
  if (can(resource, "create")) many["post"] = operation(resource, component, "post");
  if (can(resource, "get")) one["get"] = operation(resource, component, "get");
  if (can(resource, "update")) one["put"] = operation(resource, component, "put");
  if (can(resource, "delete")) one["delete"] = operation(resource, component, "delete");
  if (can(resource, "patch")) {
    patch = operation(resource, component, "patch");
    json::object content;
    for (const std::string_view type :
         {"application/apply-patch+yaml", "application/json-patch+json",
          "application/merge-patch+json"}) {
      content[type] = json::object{{"schema", json::object{{"type", "object"}}}};
    }
    patch["requestBody"] = json::object{{"required", true}, {"content", std::move(content)}};
    one["patch"] = std::move(patch);
  }
  paths[base] = std::move(many);
  if (!one.empty()) paths[base + "/{name}"] = std::move(one);
}

}  // namespace

json::object openapi_index(const std::vector<ApiResource>& resources, std::string_view stamp) {
  json::object paths;
  for (const ApiResource& resource : resources) {
    const std::string name = document_name(resource);
    const std::string url = "/openapi/v3/" + name + "?hash=" + std::string(stamp);
    paths[name] = json::object{{"serverRelativeURL", url}};
  }
  return {{"paths", std::move(paths)}};
}

std::optional<json::object> openapi_document(const std::vector<ApiResource>& resources,
                                             std::string_view name,
                                             const json::object& definitions) {
  json::object schemas, paths;
  for (const ApiResource& resource : resources) {
    if (document_name(resource) != name) continue;
    const std::string component = component_name(resource, definitions);
    schemas[component] = kind_schema(resource, component, definitions);
    add_paths(resource, component, paths);
  }
  if (paths.empty()) return std::nullopt;
  close(schemas, definitions);
  return json::object{
      {"openapi", "3.0.0"},
      {"info", json::object{{"title", "davit-sim"}, {"version", kubernetes_version()}}},
      {"paths", std::move(paths)},
      {"components", json::object{{"schemas", std::move(schemas)}}}};
}

}  // namespace davit::sim
