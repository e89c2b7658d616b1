#include "sim/access_control.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace davit::sim {

namespace {

bool matches(const std::string& pattern, const std::string& value) {
  return pattern == "*" || pattern == value;
}

std::string with_subresource(const std::string& resource, const std::string& subresource) {
  return subresource.empty() ? resource : resource + "/" + subresource;
}

}  // namespace

void AccessControl::allow(const std::string& user, kube::AccessTable table, const std::string& ns) {
  restrict(user);
  for (const kube::Access& access : table) {
    AccessRule rule;
    rule.group = access.resource.group;
    rule.resource =
        with_subresource(std::string(access.resource.plural), std::string(access.subresource));
    for (const std::string_view verb : kube::verb_names(access.verbs))
      rule.verbs.emplace_back(verb);
    rule.ns = access.resource.namespaced ? ns : std::string();
    rule.name = access.name;
    allow(user, std::move(rule));
  }
}

bool AccessControl::allows(const std::string& user, const std::string& verb,
                           const std::string& group, const std::string& resource,
                           const std::string& ns, const std::string& name) const {
  const auto rules = rules_.find(user);
  if (rules == rules_.end()) return true;
  return std::ranges::any_of(rules->second, [&](const AccessRule& rule) {
    return matches(rule.group, group) && matches(rule.resource, resource) &&
           std::ranges::any_of(rule.verbs, [&](const auto& v) { return matches(v, verb); }) &&
           (rule.ns.empty() || rule.ns == ns) && (rule.name.empty() || rule.name == name);
  });
}

std::vector<AccessRule> AccessControl::rules_of(const std::string& user) const {
  const auto rules = rules_.find(user);
  if (rules == rules_.end()) return {{"*", "*", {"*"}, {}, {}}};
  return rules->second;
}

std::optional<ApiError> AccessControl::check(const std::string& user, const Route& route) const {
  if (!route.type) return std::nullopt;
  const std::string resource = with_subresource(route.type->plural, route.subresource);
  if (allows(user, route.verb, route.type->group, resource, route.ns, route.name)) {
    return std::nullopt;
  }
  const std::string where = !route.type->namespaced || route.ns.empty()
                                ? std::string("at the cluster scope")
                                : fmt::format("in the namespace \"{}\"", route.ns);
  return forbidden(*route.type, route.name,
                   fmt::format("User \"{}\" cannot {} resource \"{}\" in API group \"{}\" {}", user,
                               route.verb, resource, route.type->group, where))
      .error();
}

}  // namespace davit::sim
