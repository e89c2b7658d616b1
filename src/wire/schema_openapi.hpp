// The structural OpenAPI v3 schema of a described struct, as apiextensions.k8s.io/v1 wants it.
//
// Nothing unknown is preserved. The description of a field is its text and, from the same table,
// its unit, default and bounds, so that the two cannot drift. Pure; any thread; never fails.
#pragma once

#include <string>

#include "wire/schema.hpp"

namespace davit::wire {

[[nodiscard]] json::object openapi(const Struct& table);

// "The text. Unit: bytes. Default: 1. Allowed: 1 to 2."
[[nodiscard]] std::string description(const Field& field, const Struct& table);
// The JSON a field has in a default-constructed struct; null: nothing.
[[nodiscard]] json::value default_of(const Field& field, const Struct& table);
// "text", "integer", "quantity", "list of VolumeStatus", "map of text"; of the item where there is
// one.
[[nodiscard]] std::string type_name(const Field& field);

}  // namespace davit::wire
