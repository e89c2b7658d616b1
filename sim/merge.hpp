// The merges of the API server: applied configurations, JSON merge patch (RFC 7386), JSON patch
// (RFC 6902) and strategic merge patch (the parts kubectl and controllers use). Pure.
#pragma once

#include "sim/api_error.hpp"
#include "sim/schemas/shape.hpp"

namespace davit::sim {

// `live` with every field of `config` set; keyed lists by key (in the order structured-merge-diff
// gives), sets joined, the rest whole.
[[nodiscard]] json::object merge_applied(const json::object& live, const json::object& config,
                                         const Shape& shape);

[[nodiscard]] json::value merge_patch(json::value target, const json::value& patch);

[[nodiscard]] Answer<json::value> json_patch(json::value target, const json::array& operations);

// Null deletes, lists with a merge key merge by it; the directives $patch, $retainKeys,
// $setElementOrder/NAME and $deleteFromPrimitiveList/NAME are understood.
[[nodiscard]] json::object strategic_merge(json::object target, const json::object& patch,
                                           const Shape& shape);

}  // namespace davit::sim
