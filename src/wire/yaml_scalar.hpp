// What a plain YAML scalar means; what the reader and the writer of yaml.hpp must agree on.
#pragma once

#include <optional>
#include <string_view>

#include "wire/json.hpp"

namespace davit::wire {

// null, a boolean, a number, else the text itself; nullopt for .inf and .nan, which JSON cannot
// hold.
[[nodiscard]] std::optional<json::value> resolve_plain_scalar(std::string_view text);

}  // namespace davit::wire
