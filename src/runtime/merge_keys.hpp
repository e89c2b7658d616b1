// Merge keys: which lists of built-in kinds are keyed, sets, or atomic, and which maps are atomic.
//
// From the x-kubernetes-list-type, list-map-keys and map-type markers of the Kubernetes API types
// (1.36), for the kinds Davit reads or writes. A list is named by its member name, the member name
// it hangs under (items of a list count as that list), and the kind where the name alone is
// ambiguous. Pure; any thread.
#pragma once

#include <span>
#include <string_view>

#include "wire/json.hpp"

namespace davit::runtime {

enum class ListType { kAtomic, kSet, kMap };

struct ListRule {
  ListType type = ListType::kAtomic;
  std::span<const std::string_view> keys;  // for kMap
};

// `kind` of the object, member the list hangs under, member name of the list.
[[nodiscard]] ListRule list_rule(std::string_view kind, std::string_view parent,
                                 std::string_view name);
// Maps that change hands as one: selectors, references.
[[nodiscard]] bool is_atomic_map(std::string_view kind, std::string_view parent,
                                 std::string_view name);
// Maps with free keys (labels, data, limits), as opposed to objects with named fields.
[[nodiscard]] bool is_free_map(std::string_view name);

// The value of `key` in a list's item, its default where the API declares one (protocol: TCP), or
// null.
[[nodiscard]] const json::value& merge_key_value(const json::object& item, std::string_view key);
// True when both items carry the same values for all keys.
[[nodiscard]] bool same_item(const json::object& a, const json::object& b,
                             std::span<const std::string_view> keys);

}  // namespace davit::runtime
