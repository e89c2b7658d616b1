// Bodies of requests come as JSON, YAML or protobuf; the simulated API server reads JSON.
#pragma once

#include <optional>

#include "io/http.hpp"
#include "sim/serve/protobuf.hpp"

namespace davit::sim {

// Makes the body JSON, and says so in the headers. Patches are left as they are. The answer, if it
// cannot be read. `messages` are read when first needed.
[[nodiscard]] std::optional<io::HttpResponse> normalise_body(io::HttpRequest& request,
                                                             std::optional<Messages>& messages);

}  // namespace davit::sim
