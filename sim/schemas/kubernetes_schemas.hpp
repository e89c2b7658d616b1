// The schemas of Kubernetes' own kinds, from its published module (testbed/kube/go.mod pins the
// version). `testbed/build schemas` brings them into the cache; they are not part of the tree.
//
// Read on first use, once per process, in a few milliseconds; shared and immutable: any thread.
// Looked for in $DAVIT_KUBERNETES_SCHEMAS, else in $DAVIT_CACHE/testbed/kubernetes-schemas.json
// (DAVIT_CACHE defaults to ${XDG_CACHE_HOME:-$HOME/.cache}/davit).
#pragma once

#include <string>
#include <string_view>

#include "sim/schemas/shape.hpp"

namespace davit::sim {

// nullptr: Kubernetes has no such kind. Throws std::runtime_error, which says how to get the file,
// when it is not there or cannot be read.
[[nodiscard]] const Shape* kubernetes_shape(std::string_view group, std::string_view version,
                                            std::string_view kind);
// The schemas as published, by name. Throws as kubernetes_shape does.
[[nodiscard]] const json::object& kubernetes_definitions();
// Where the file is looked for.
[[nodiscard]] std::string kubernetes_schemas_file();
// "v1.36.3".
[[nodiscard]] const std::string& kubernetes_version();
// ObjectMeta, which custom kinds have too.
[[nodiscard]] const Shape* metadata_shape();

}  // namespace davit::sim
