// FieldSet: a set of field paths, as managedFields records them; and the walks that make them.
//
// A path is a list of elements in FieldsV1 notation: "f:spec", "k:{\"name\":\"a\"}", "v:\"x\"".
// Follows sigs.k8s.io/structured-merge-diff v6: leaves, items of keyed lists, and free or empty
// maps are members; objects with named fields are not. Pure; values.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/structure.hpp"

namespace davit::sim {

using FieldPath = std::vector<std::string>;
using FieldSet = std::set<FieldPath>;

[[nodiscard]] json::object encode_fields(const FieldSet& fields);
[[nodiscard]] FieldSet decode_fields(const json::object& fields_v1);
// ".spec.containers[name=\"a\"].image", as conflict messages write it.
[[nodiscard]] std::string describe(const FieldPath& path);

// What an applied configuration claims.
[[nodiscard]] FieldSet fields_of(const json::object& object, const ResourceType& type);

struct Comparison {
  FieldSet added, modified, removed;
  // added and modified.
  [[nodiscard]] FieldSet changed() const;
};
[[nodiscard]] Comparison compare(const json::object& before, const json::object& after,
                                 const ResourceType& type);

// True when `fields` has `path` or something below it.
[[nodiscard]] bool reaches(const FieldSet& fields, const FieldPath& path);
// Takes what `path` names out of `object`. Nothing happens if it is not there.
void remove_path(json::object& object, const FieldPath& path);
// The value at `path`, or nullptr.
[[nodiscard]] const json::value* value_at(const json::object& object, const FieldPath& path);

}  // namespace davit::sim
