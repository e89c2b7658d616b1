// Every access table of the operator: what RBAC is generated from and what is asked for at start.
#pragma once

#include <array>
#include <vector>

#include "kube/access.hpp"
#include "operands/blocknode/access.hpp"

namespace davit::app {

// What the operator itself needs in its own namespace, whatever operands it runs.
inline constexpr std::array kOwnNamespaceAccess{
    kube::Access{kube::kLeases, "", kube::Verb::kCreate, "agree on who leads", {}},
    kube::Access{kube::kLeases, "", kube::Verb::kGet | kube::Verb::kUpdate, "agree on who leads",
                 "davit"},
};

[[nodiscard]] inline std::vector<kube::AccessTable> access_tables() {
  return {kube::AccessTable(blocknode::kAccess)};
}

}  // namespace davit::app
