// Does a live object already say what we want? Compares only the members of `desired`, by meaning.
//
// Members that only the live object has (defaults, other writers' fields) do not count. Quantities
// compare as numbers ("1Gi" is "1024Mi"), keyed lists by their keys (merge_keys.hpp) whatever their
// order, sets as sets, all other lists whole and in order. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "wire/json.hpp"

namespace davit::runtime {

// The path of the first difference ("spec.ports[name=grpc].port"); empty: none.
[[nodiscard]] std::string first_difference(std::string_view kind, const json::object& desired,
                                           const json::object& live);

}  // namespace davit::runtime
