// Schemas at work: what the server makes of a decoded object (nulls and unknown fields dropped,
// defaults filled in) and what it refuses (types, bounds, duplicates, rules across fields).
//
// Pure. `before` is the stored object, if there is one: what did not change is neither touched nor
// judged again (the server ratchets, too).
#pragma once

#include <string>
#include <vector>

#include "sim/api_error.hpp"
#include "sim/schemas/shape.hpp"

namespace davit::sim {

struct Decoded {
  std::vector<std::string> unknown;  // paths of dropped fields: spec.containers[0].x
  std::string mistyped;  // of a built-in kind: what Go's decoder says; empty: every type fits
};
// Changes `object` in place.
Decoded decode(const Shape& shape, json::object& object, const json::object* before = nullptr);
// The first field of an applied configuration that its kind does not have, or the first list item
// without its key, or twice, as structured-merge-diff says it; empty: none.
[[nodiscard]] std::string typing_problem(const Shape& shape, const json::object& object);

// Of a custom kind: what is invalid, in the server's words.
[[nodiscard]] std::vector<Cause> check(const Shape& shape, const json::object& object,
                                       const json::object* before, const RuleJudge& judge);

// `value` as the server's messages print it: text quoted, the rest as JSON.
[[nodiscard]] std::string printed(const json::value& value);

}  // namespace davit::sim
