// The merges of the API server: applied configurations, JSON merge patch (RFC 7386), JSON patch
// (RFC 6902) and strategic merge patch (the parts kubectl and controllers use). Pure.
#pragma once

#include "sim/api_error.hpp"
#include "sim/structure.hpp"

namespace davit::sim {

// `live` with every field of `config` set; keyed lists by key, sets joined, the rest whole.
[[nodiscard]] json::object merge_applied(const json::object& live, const json::object& config,
                                         const ResourceType& type);

[[nodiscard]] json::value merge_patch(json::value target, const json::value& patch);

[[nodiscard]] Answer<json::value> json_patch(json::value target, const json::array& operations);

// Null deletes, keyed lists merge by key, `$patch: delete` and `$patch: replace` are understood.
[[nodiscard]] json::object strategic_merge(const json::object& target, const json::object& patch,
                                           const ResourceType& type);

}  // namespace davit::sim
