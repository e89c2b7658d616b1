// The one screen of `kubectl davit status`: pure, from what the API server holds.
#pragma once

#include <string>
#include <vector>

#include "base/clock.hpp"
#include "wire/json.hpp"

namespace davit::cli {

struct NodeFacts {
  json::object node;                 // BlockNode
  std::vector<json::object> pods;    // its pods
  std::vector<json::object> claims;  // its claims
  std::vector<json::object> events;  // events.k8s.io/v1, oldest first
};

// "12s", "4m", "3h", "90d": two significant steps at most.
[[nodiscard]] std::string human_age(Duration age);
// Seconds since an RFC 3339 time; nullopt when it cannot be read.
[[nodiscard]] std::optional<Duration> age_of(std::string_view time, WallTime now);

[[nodiscard]] std::string render_status(const NodeFacts& facts, WallTime now);

}  // namespace davit::cli
