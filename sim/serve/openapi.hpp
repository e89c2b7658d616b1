// OpenAPI v3 as `kubectl explain`, `kubectl apply` and their like read it: an index of documents,
// one per group and version, with the schemas of its kinds and the paths of its resources.
//
// Custom kinds have the schema of their CRD; built-in kinds that of Kubernetes itself (see
// sim/schemas), without its descriptions; what neither knows may hold anything. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "sim/serve/api_resources.hpp"

namespace davit::sim {

// /openapi/v3; `stamp` changes when a document may have.
[[nodiscard]] json::object openapi_index(const std::vector<ApiResource>& resources,
                                         std::string_view stamp);
// Of "apis/davit.hiero.org/v1alpha1" or "api/v1"; nullopt: not served. `definitions` are
// Kubernetes' own, by component name.
[[nodiscard]] std::optional<json::object> openapi_document(
    const std::vector<ApiResource>& resources, std::string_view name,
    const json::object& definitions);

}  // namespace davit::sim
