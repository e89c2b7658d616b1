// The simulated time over HTTP: GET says what it is, POST ?speed=60 changes how fast it goes.
#pragma once

#include <optional>

#include "io/http.hpp"
#include "sim/serve/time_lapse.hpp"

namespace davit::sim {

inline constexpr std::string_view kTimePath = "/sim/time";

// nullopt: not a request about time. `clock`: the simulated one.
[[nodiscard]] std::optional<io::HttpResponse> answer_time_control(TimeLapse& time,
                                                                  const Clock& clock,
                                                                  const io::HttpRequest& request);

}  // namespace davit::sim
