#include "kube/access.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

namespace davit::kube {

namespace {

constexpr std::array<std::pair<std::string_view, Verb>, 7> kVerbs = {{
    {"create", Verb::kCreate},
    {"delete", Verb::kDelete},
    {"get", Verb::kGet},
    {"list", Verb::kList},
    {"patch", Verb::kPatch},
    {"update", Verb::kUpdate},
    {"watch", Verb::kWatch},
}};

Verb without(Verb set, Verb other) {
  return static_cast<Verb>(static_cast<unsigned>(set) & ~static_cast<unsigned>(other));
}

std::string with_subresource(const Access& access, std::string resource) {
  if (!access.subresource.empty()) resource += "/" + std::string(access.subresource);
  return resource;
}

json::array strings(const auto& texts) {
  json::array array;
  for (const auto& text : texts) array.emplace_back(std::string_view(text));
  return array;
}

}  // namespace

std::vector<std::string_view> verb_names(Verb verbs) {
  std::vector<std::string_view> names;
  for (const auto& [name, verb] : kVerbs) {
    if (has(verbs, verb)) names.push_back(name);
  }
  return names;
}

json::array rbac_rules(std::span<const AccessTable> tables) {
  // Group, resource and object name to what is asked for in all tables.
  std::map<std::tuple<std::string, std::string, std::string>, Verb> wanted;
  for (const AccessTable& table : tables) {
    for (const Access& access : table) {
      const std::string resource = with_subresource(access, std::string(access.resource.plural));
      Verb& verbs =
          wanted[{std::string(access.resource.group), resource, std::string(access.name)}];
      verbs = verbs | access.verbs;
    }
  }
  // What holds for every name need not be said for one. Resources of the same verbs share a rule.
  std::map<std::tuple<std::string, std::string, Verb>, std::set<std::string>> rules;
  for (const auto& [key, asked] : wanted) {
    const auto& [group, resource, name] = key;
    Verb verbs = asked;
    if (!name.empty()) {
      const auto general = wanted.find({group, resource, ""});
      if (general != wanted.end()) verbs = without(verbs, general->second);
    }
    if (verbs != Verb::kNone) rules[{group, name, verbs}].insert(resource);
  }
  std::vector<json::object> sorted;
  for (const auto& [key, resources] : rules) {
    const auto& [group, name, verbs] = key;
    json::object rule;
    rule["apiGroups"] = json::array{group};
    rule["resources"] = strings(resources);
    if (!name.empty()) rule["resourceNames"] = json::array{name};
    rule["verbs"] = strings(verb_names(verbs));
    sorted.push_back(std::move(rule));
  }
  std::ranges::sort(sorted, {}, [](const json::object& rule) { return wire::canonical(rule); });
  json::array array;
  for (json::object& rule : sorted) array.emplace_back(std::move(rule));
  return array;
}

std::string MissingAccess::describe() const {
  std::string text = "Davit may not " + std::string(verb) + " " +
                     with_subresource(access, access.resource.qualified());
  if (!access.name.empty()) text += " \"" + std::string(access.name) + "\"";
  if (!ns.empty()) {
    text += " in namespace " + ns;
  } else if (access.resource.namespaced) {
    text += " in all namespaces";
  }
  if (!access.why.empty()) text += ", which is needed to " + std::string(access.why);
  return text;
}

io::Task<Result<std::vector<MissingAccess>>> find_missing(Client& client,
                                                          std::vector<AccessTable> tables,
                                                          std::string ns) {
  std::vector<MissingAccess> missing;
  std::set<std::tuple<std::string, std::string_view, std::string_view>> asked;
  for (const AccessTable& table : tables) {
    for (const Access& access : table) {
      for (const std::string_view verb : verb_names(access.verbs)) {
        const std::string resource = with_subresource(access, access.resource.qualified());
        if (!asked.emplace(resource, access.name, verb).second) continue;
        const std::string where = access.resource.namespaced ? ns : "";
        json::object attributes;
        attributes["verb"] = verb;
        attributes["group"] = access.resource.group;
        attributes["version"] = access.resource.version;
        attributes["resource"] = access.resource.plural;
        if (!access.subresource.empty()) attributes["subresource"] = access.subresource;
        if (!access.name.empty()) attributes["name"] = access.name;
        if (!where.empty()) attributes["namespace"] = where;
        json::object spec;
        spec["resourceAttributes"] = std::move(attributes);
        json::object review;
        review["apiVersion"] = kSelfSubjectAccessReviews.api_version();
        review["kind"] = kSelfSubjectAccessReviews.kind;
        review["spec"] = std::move(spec);
        auto answer = co_await client.create(kSelfSubjectAccessReviews, std::move(review),
                                             FieldManager("davit"));
        if (!answer) {
          co_return fail(std::move(answer.error()).because("cannot ask for our permissions"));
        }
        if (!wire::find_bool(*answer, "status.allowed", false)) {
          missing.push_back({access, verb, where});
        }
      }
    }
  }
  co_return missing;
}

}  // namespace davit::kube
