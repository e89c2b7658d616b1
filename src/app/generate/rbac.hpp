// RBAC from the access tables (app/access.hpp): what Davit itself may do, and roles for people.
//
// Each is a list of objects for one file. Pure; any thread.
#pragma once

#include <vector>

#include "wire/json.hpp"

namespace davit::app {

// ClusterRole and Role of the operator, with their bindings to its ServiceAccount.
[[nodiscard]] std::vector<json::value> operator_rbac();
// ClusterRoles that extend the built-in view, edit and admin by Davit's kinds.
[[nodiscard]] std::vector<json::value> user_rbac();

}  // namespace davit::app
