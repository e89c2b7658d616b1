// JSONPath as printer columns of a CRD use it: the simple subset that the API server admits there.
//
//   first_match(object, ".status.conditions[?(@.type==\"Ready\")].status")
//
// Members (.a, ['a']), indexes ([0], [-1]), all items ([*]) and equality filters. A path that says
// anything else matches nothing, as does one that leads nowhere. Pure.
#pragma once

#include <string_view>

#include "wire/json.hpp"

namespace davit::sim {

[[nodiscard]] const json::value* first_match(const json::object& object, std::string_view path);

}  // namespace davit::sim
