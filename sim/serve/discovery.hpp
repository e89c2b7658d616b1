// Discovery: how clients learn what is served: /api, /apis and below, and the aggregated form
// (apidiscovery.k8s.io/v2) that kubectl asks for first. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "sim/serve/api_resources.hpp"

namespace davit::sim {

inline constexpr std::string_view kAggregatedDiscovery =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

// Of the core group (/api) or of all others (/apis).
[[nodiscard]] json::object aggregated_discovery(const std::vector<ApiResource>& resources,
                                                bool core);
// The older form; nullopt: `path` is no path of discovery, or names nothing that is served.
[[nodiscard]] std::optional<json::object> discovery(const std::vector<ApiResource>& resources,
                                                    std::string_view path);

}  // namespace davit::sim
