// The CustomResourceDefinition of BlockNode, generated from the field tables.
//
// deploy/crds holds it as YAML; a test fails when that is stale. Pure; any thread.
#pragma once

#include "wire/json.hpp"

namespace davit::blocknode {

[[nodiscard]] json::object block_node_crd();

}  // namespace davit::blocknode
