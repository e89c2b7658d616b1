// Reviews: who may do what, asked by Davit at its start and by `kubectl auth can-i`.
#include <algorithm>

#include "sim/subresources.hpp"
#include "sim/verbs.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kPrefix = "/apis/authorization.k8s.io/v1/";

json::object access_status(const AccessControl& access, const std::string& user,
                           const json::object& review) {
  if (!wire::find_object(review, "spec.resourceAttributes")) return {{"allowed", true}};
  const auto attribute = [&](std::string_view name) {
    return std::string(wire::find_string(review, "spec.resourceAttributes." + std::string(name)));
  };
  std::string resource = attribute("resource");
  if (!attribute("subresource").empty()) resource += "/" + attribute("subresource");
  return {{"allowed", access.allows(user, attribute("verb"), attribute("group"), resource,
                                    attribute("namespace"), attribute("name"))}};
}

json::object rules_status(const AccessControl& access, const std::string& user,
                          const std::string& ns) {
  json::array rules;
  for (const AccessRule& rule : access.rules_of(user)) {
    if (!rule.ns.empty() && rule.ns != ns) continue;
    json::object entry{{"verbs", json::value_from(rule.verbs)},
                       {"apiGroups", json::array{json::value(rule.group)}},
                       {"resources", json::array{json::value(rule.resource)}}};
    if (!rule.name.empty()) entry["resourceNames"] = json::array{json::value(rule.name)};
    rules.push_back(std::move(entry));
  }
  json::array paths;
  if (access.allows(user, "*", "*", "*", "", "")) {
    const json::array any{"*"};
    paths.push_back(json::object{{"verbs", any}, {"nonResourceURLs", any}});
  }
  return {{"resourceRules", std::move(rules)},
          {"nonResourceRules", std::move(paths)},
          {"incomplete", false}};
}

}  // namespace

std::optional<io::HttpResponse> serve_review(const AccessControl& access, const std::string& user,
                                             const Route& route, const io::HttpRequest& request) {
  const std::string_view path = route.path;
  if (!path.starts_with(kPrefix) || request.method != "POST") return std::nullopt;
  const std::string_view kind = path.substr(kPrefix.size());
  auto body = wire::parse_json_object(request.body);
  if (!body) return reply(bad_request("the body cannot be read").error());
  if (kind == "selfsubjectaccessreviews") {
    (*body)["status"] = access_status(access, user, *body);
  } else if (kind == "subjectaccessreviews") {
    const std::string whom(wire::find_string(*body, "spec.user"));
    (*body)["status"] = access_status(access, whom, *body);
  } else if (kind == "selfsubjectrulesreviews") {
    const std::string ns(wire::find_string(*body, "spec.namespace"));
    (*body)["status"] = rules_status(access, user, ns);
  } else {
    return std::nullopt;
  }
  return reply(201, *body);
}

}  // namespace davit::sim
