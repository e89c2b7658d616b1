#include "app/generate/rbac.hpp"

#include "app/access.hpp"

namespace davit::app {

namespace {

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";
constexpr std::string_view kVersion = "rbac.authorization.k8s.io/v1";
constexpr std::string_view kName = "davit";
constexpr std::string_view kNamespace = "davit-system";

json::object metadata(std::string_view name, std::string_view ns) {
  json::object out{{"name", name}};
  if (!ns.empty()) out["namespace"] = ns;
  out["labels"] = json::object{{"app.kubernetes.io/name", kName}};
  return out;
}

json::object role(std::string_view ns, const std::vector<kube::AccessTable>& tables) {
  return {{"apiVersion", kVersion},
          {"kind", ns.empty() ? "ClusterRole" : "Role"},
          {"metadata", metadata(kName, ns)},
          {"rules", kube::rbac_rules(tables)}};
}

json::object binding(std::string_view ns) {
  return {
      {"apiVersion", kVersion},
      {"kind", ns.empty() ? "ClusterRoleBinding" : "RoleBinding"},
      {"metadata", metadata(kName, ns)},
      {"roleRef",
       json::object{
           {"apiGroup", kGroup}, {"kind", ns.empty() ? "ClusterRole" : "Role"}, {"name", kName}}},
      {"subjects", json::array{json::object{
                       {"kind", "ServiceAccount"}, {"name", kName}, {"namespace", kNamespace}}}}};
}

json::object user_role(std::string_view name, std::initializer_list<std::string_view> into,
                       json::array verbs) {
  json::object labels{{"app.kubernetes.io/name", kName}};
  for (const std::string_view role : into) {
    labels[std::string(kGroup) + "/aggregate-to-" + std::string(role)] = "true";
  }
  return {
      {"apiVersion", kVersion},
      {"kind", "ClusterRole"},
      {"metadata", json::object{{"name", name}, {"labels", std::move(labels)}}},
      {"rules", json::array{json::object{{"apiGroups", json::array{blocknode::kBlockNodes.group}},
                                         {"resources", json::array{blocknode::kBlockNodes.plural}},
                                         {"verbs", std::move(verbs)}}}}};
}

}  // namespace

std::vector<json::value> operator_rbac() {
  return {role({}, access_tables()), binding({}),
          role(kNamespace, {kube::AccessTable(kOwnNamespaceAccess)}), binding(kNamespace)};
}

std::vector<json::value> user_rbac() {
  return {user_role("davit-view", {"view"}, {"get", "list", "watch"}),
          user_role("davit-edit", {"edit", "admin"},
                    {"create", "delete", "deletecollection", "patch", "update"})};
}

}  // namespace davit::app
