// Durations as Kubernetes writes them (metav1.Duration, Go's time.Duration: "1h30m", "250ms") and
// as kubectl shows them to people ("2m", "90d").
//
// Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace davit::wire {

// Go's grammar, plus "d" for days of 24 h. Beyond ±292 years, or without a unit (but "0"):
// kInvalid.
[[nodiscard]] Result<Duration> parse_duration(std::string_view text);
// As Go writes it: "1h30m0s", "1.5s", "0s". parse_duration reads it back.
[[nodiscard]] std::string format_duration(Duration duration);
// As kubectl's AGE column: "45s", "2m", "5m30s", "3h5m", "90d", "2y10d". Negative: "0s".
[[nodiscard]] std::string human_duration(Duration duration);

}  // namespace davit::wire
