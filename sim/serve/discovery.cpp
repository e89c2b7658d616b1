#include "sim/serve/discovery.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

json::array to_array(const std::vector<std::string>& list) {
  return json::array(list.begin(), list.end());
}

json::object response_kind(std::string_view group, std::string_view version,
                           std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

json::object aggregated_resource(const ApiResource& resource) {
  json::object entry{
      {"resource", resource.plural},
      {"responseKind", response_kind(resource.group, resource.version, resource.kind)},
      {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
      {"singularResource", resource.singular},
      {"verbs", to_array(resource.verbs)}};
  if (!resource.short_names.empty()) entry["shortNames"] = to_array(resource.short_names);
  if (!resource.categories.empty()) entry["categories"] = to_array(resource.categories);
  json::array subresources;
  for (const ApiSubresource& sub : resource.subresources) {
    subresources.push_back(
        json::object{{"subresource", sub.name},
                     {"responseKind", response_kind(sub.group, sub.version, sub.kind)},
                     {"verbs", to_array(sub.verbs)}});
  }
  if (!subresources.empty()) entry["subresources"] = std::move(subresources);
  return entry;
}

// Distinct values of `member`, in order of first mention, among resources that `match`.
template <typename Match>
std::vector<std::string> distinct(const std::vector<ApiResource>& resources,
                                  std::string ApiResource::* member, Match match) {
  std::vector<std::string> found;
  for (const ApiResource& resource : resources) {
    if (!match(resource) || std::ranges::find(found, resource.*member) != found.end()) continue;
    found.push_back(resource.*member);
  }
  return found;
}

std::vector<std::string> versions_of(const std::vector<ApiResource>& resources,
                                     std::string_view group) {
  return distinct(resources, &ApiResource::version,
                  [&](const ApiResource& one) { return one.group == group; });
}

json::object group_document(const std::vector<ApiResource>& resources, std::string_view group) {
  json::array versions;
  for (const std::string& version : versions_of(resources, group)) {
    versions.push_back(
        json::object{{"groupVersion", std::string(group) + "/" + version}, {"version", version}});
  }
  json::object preferred = versions.front().as_object();
  return {{"kind", "APIGroup"},
          {"apiVersion", "v1"},
          {"name", group},
          {"versions", std::move(versions)},
          {"preferredVersion", std::move(preferred)}};
}

json::object resource_list(const std::vector<ApiResource>& resources,
                           std::string_view api_version) {
  json::array entries;
  for (const ApiResource& resource : resources) {
    if (resource.api_version() != api_version) continue;
    json::object entry{{"name", resource.plural},
                       {"singularName", resource.singular},
                       {"namespaced", resource.namespaced},
                       {"kind", resource.kind},
                       {"verbs", to_array(resource.verbs)}};
    if (!resource.short_names.empty()) entry["shortNames"] = to_array(resource.short_names);
    if (!resource.categories.empty()) entry["categories"] = to_array(resource.categories);
    entries.push_back(std::move(entry));
    for (const ApiSubresource& sub : resource.subresources) {
      json::object below{{"name", resource.plural + "/" + sub.name},
                         {"singularName", ""},
                         {"namespaced", resource.namespaced},
                         {"kind", sub.kind},
                         {"verbs", to_array(sub.verbs)}};
      if (sub.group != resource.group) {
        below["group"] = sub.group;
        below["version"] = sub.version;
      }
      entries.push_back(std::move(below));
    }
  }
  return {{"kind", "APIResourceList"},
          {"apiVersion", "v1"},
          {"groupVersion", api_version},
          {"resources", std::move(entries)}};
}

}  // namespace

json::object aggregated_discovery(const std::vector<ApiResource>& resources, bool core) {
  json::array items;
  const auto groups = distinct(resources, &ApiResource::group,
                               [&](const ApiResource& one) { return one.group.empty() == core; });
  for (const std::string& group : groups) {
    json::array versions;
    for (const std::string& version : versions_of(resources, group)) {
      json::array entries;
      for (const ApiResource& resource : resources) {
        if (resource.group == group && resource.version == version) {
          entries.push_back(aggregated_resource(resource));
        }
      }
      versions.push_back(json::object{
          {"version", version}, {"resources", std::move(entries)}, {"freshness", "Current"}});
    }
    items.push_back(json::object{{"metadata", json::object{{"name", group}}},
                                 {"versions", std::move(versions)}});
  }
  return {{"kind", "APIGroupDiscoveryList"},
          {"apiVersion", "apidiscovery.k8s.io/v2"},
          {"metadata", json::object{}},
          {"items", std::move(items)}};
}

std::optional<json::object> discovery(const std::vector<ApiResource>& resources,
                                      std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  if (path == "/api") {
    return json::object{{"kind", "APIVersions"}, {"versions", json::array{"v1"}}};
  }
  if (path == "/apis") {
    json::array groups;
    for (const std::string& group : distinct(resources, &ApiResource::group,
                                             [](const auto& one) { return !one.group.empty(); })) {
      groups.push_back(group_document(resources, group));
    }
    return json::object{
        {"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", std::move(groups)}};
  }
  std::string_view rest;
  if (path.starts_with("/apis/")) {
    rest = path.substr(6);
  } else if (path == "/api/v1") {
    rest = "v1";
  } else {
    return std::nullopt;
  }
  const bool is_group = path.starts_with("/apis/") && rest.find('/') == std::string_view::npos;
  const bool served = std::ranges::any_of(resources, [&](const ApiResource& one) {
    return is_group ? one.group == rest : one.api_version() == rest;
  });
  if (!served) return std::nullopt;
  return is_group ? group_document(resources, rest) : resource_list(resources, rest);
}

}  // namespace davit::sim
