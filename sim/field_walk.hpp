// The walks that make and use field sets: what a configuration claims, what a write changed, what
// is left when fields are taken out. Shaped by the kind; after structured-merge-diff's typed
// package. Pure.
#pragma once

#include "sim/field_set.hpp"
#include "sim/schemas/shape.hpp"

namespace davit::sim {

// What an applied configuration claims: leaves, items of keyed lists, keys of free maps. Without
// what nobody can own (apiVersion, kind, metadata.name, …).
[[nodiscard]] FieldSet fields_of(const json::object& object, const Shape& shape);
// Declared members that have something below them become members too.
[[nodiscard]] FieldSet with_named_parents(const FieldSet& fields, const Shape& shape);

struct Comparison {
  FieldSet changed;  // added or modified
  FieldSet removed;
  [[nodiscard]] bool empty() const { return changed.empty() && removed.empty(); }
};
[[nodiscard]] Comparison compare(const json::object& before, const json::object& after,
                                 const Shape& shape);

// `object` without what `fields` names. A map or list that is emptied by that goes, too.
[[nodiscard]] json::object without(const json::object& object, const FieldSet& fields,
                                   const Shape& shape);

// "k:{…}" or "v:…" of an item of a keyed list or set, as managedFields writes it.
[[nodiscard]] std::string item_element(const json::value& item, const Shape& list);
// Have both items the same keys, or the same value.
[[nodiscard]] bool same_item(const json::value& a, const json::value& b, const Shape& list);

}  // namespace davit::sim
