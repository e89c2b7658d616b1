// Are two states of an object the same for the server: does a write change anything. Pure.
#pragma once

#include "wire/json.hpp"

namespace davit::sim {

// But for metadata.managedFields.
[[nodiscard]] bool same_but_managed_fields(const json::object& before, const json::object& after);
// But for metadata.resourceVersion and the times in managedFields.
[[nodiscard]] bool same_but_times(const json::object& before, const json::object& after);

}  // namespace davit::sim
