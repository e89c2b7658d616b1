// What the server refuses in metadata, whatever the kind: names, labels, annotations, owners,
// finalizers (apimachinery pkg/api/validation/objectmeta.go). Pure.
#pragma once

#include <vector>

#include "sim/api_error.hpp"

namespace davit::sim {

// `before` is null at creation.
[[nodiscard]] std::vector<Cause> check_metadata(const ResourceType& type,
                                                const json::object& object,
                                                const json::object* before);

}  // namespace davit::sim
