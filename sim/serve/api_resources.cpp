#include "sim/serve/api_resources.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "sim/api_server.hpp"

namespace davit::sim {

namespace {

const std::vector<std::string> kAllVerbs = {"create", "delete", "get",  "list",
                                            "patch",  "update", "watch"};

struct BuiltinNames {
  std::string_view plural;
  std::vector<std::string> short_names, categories;
};

// As Kubernetes 1.36 announces them.
const std::vector<BuiltinNames>& builtin_names() {
  static const std::vector<BuiltinNames> names = {
      {"pods", {"po"}, {"all"}},
      {"services", {"svc"}, {"all"}},
      {"configmaps", {"cm"}, {}},
      {"serviceaccounts", {"sa"}, {}},
      {"persistentvolumeclaims", {"pvc"}, {}},
      {"persistentvolumes", {"pv"}, {}},
      {"nodes", {"no"}, {}},
      {"namespaces", {"ns"}, {}},
      {"statefulsets", {"sts"}, {"all"}},
      {"daemonsets", {"ds"}, {"all"}},
      {"deployments", {"deploy"}, {"all"}},
      {"replicasets", {"rs"}, {"all"}},
      {"jobs", {}, {"all"}},
      {"poddisruptionbudgets", {"pdb"}, {}},
      {"storageclasses", {"sc"}, {}},
      {"events", {"ev"}, {}},
      {"customresourcedefinitions", {"crd", "crds"}, {"api-extensions"}},
      {"resourcequotas", {"quota"}, {}},
      {"limitranges", {"limits"}, {}},
      {"priorityclasses", {"pc"}, {}},
      {"volumesnapshots", {"vs"}, {}},
  };
  return names;
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<std::string> strings_at(const json::object& object, std::string_view path) {
  std::vector<std::string> result;
  if (const json::array* list = wire::find_array(object, path)) {
    for (const json::value& entry : *list) {
      if (entry.is_string()) result.emplace_back(entry.get_string());
    }
  }
  return result;
}

void name(ApiResource& resource, const json::object* crd) {
  if (crd) {
    resource.singular = wire::find_string(*crd, "spec.names.singular", lower(resource.kind));
    resource.short_names = strings_at(*crd, "spec.names.shortNames");
    resource.categories = strings_at(*crd, "spec.names.categories");
    return;
  }
  resource.singular = lower(resource.kind);
  for (const BuiltinNames& names : builtin_names()) {
    if (names.plural != resource.plural) continue;
    resource.short_names = names.short_names;
    resource.categories = names.categories;
  }
}

void add_subresources(ApiResource& resource, const ResourceType& type) {
  const auto own = [&](std::string sub, std::vector<std::string> verbs) {
    resource.subresources.push_back(
        {std::move(sub), type.group, type.version, type.kind, std::move(verbs)});
  };
  if (type.has_status) own("status", {"get", "patch", "update"});
  if (type.plural == "pods" && type.group.empty()) own("log", {"get"});
  if (is_scalable(type)) {
    resource.subresources.push_back(
        {"scale", "autoscaling", "v1", "Scale", {"get", "patch", "update"}});
  }
}

const json::object* schema_of(const json::object& crd, std::string_view version) {
  const json::array* versions = wire::find_array(crd, "spec.versions");
  if (!versions) return nullptr;
  for (const json::value& entry : *versions) {
    const json::object* one = entry.if_object();
    if (one && wire::find_string(*one, "name") == version) {
      return wire::find_object(*one, "schema.openAPIV3Schema");
    }
  }
  return nullptr;
}

ApiResource own_resource(std::string group, std::string version, std::string kind,
                         std::string plural, bool namespaced, std::vector<std::string> verbs) {
  ApiResource resource{.group = std::move(group),
                       .version = std::move(version),
                       .kind = std::move(kind),
                       .plural = std::move(plural),
                       .namespaced = namespaced,
                       .verbs = std::move(verbs)};
  name(resource, nullptr);
  return resource;
}

}  // namespace

bool is_scalable(const ResourceType& type) {
  return type.group == "apps" && (type.plural == "statefulsets" || type.plural == "deployments" ||
                                  type.plural == "replicasets");
}

const json::object* crd_of(const ApiServer& server, const ResourceType& type) {
  if (!type.custom) return nullptr;
  const Object found =
      server.find(kube::kCustomResourceDefinitions, {"", type.plural + "." + type.group});
  return found.get();  // the store keeps it
}

std::vector<ApiResource> api_resources(const ApiServer& server) {
  std::vector<ApiResource> list;
  const Registry& registry = server.registry();
  for (const ResourceType& type : registry.types()) {
    if (type.plural.starts_with("!")) continue;  // no longer served
    ApiResource resource{.group = type.group,
                         .version = type.version,
                         .kind = type.kind,
                         .plural = type.plural,
                         .namespaced = type.namespaced,
                         .verbs = kAllVerbs,
                         .type = &type};
    const json::object* crd = crd_of(server, type);
    name(resource, crd);
    resource.schema = crd ? schema_of(*crd, type.version) : nullptr;
    add_subresources(resource, type);
    list.push_back(std::move(resource));
  }
  if (!registry.find("", "v1", "events")) {
    list.push_back(own_resource("", "v1", "Event", "events", true, {"get", "list", "watch"}));
  }
  list.push_back(own_resource("authentication.k8s.io", "v1", "SelfSubjectReview",
                              "selfsubjectreviews", false, {"create"}));
  list.push_back(own_resource("authorization.k8s.io", "v1", "SelfSubjectAccessReview",
                              "selfsubjectaccessreviews", false, {"create"}));
  list.push_back(own_resource("authorization.k8s.io", "v1", "SelfSubjectRulesReview",
                              "selfsubjectrulesreviews", false, {"create"}));
  std::vector<ApiResource> ordered;
  for (const bool core : {true, false}) {
    std::ranges::copy_if(list, std::back_inserter(ordered),
                         [&](const ApiResource& one) { return one.group.empty() == core; });
  }
  return ordered;
}

}  // namespace davit::sim
