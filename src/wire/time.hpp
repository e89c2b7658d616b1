// Reads the times that base/clock.hpp writes: RFC 3339, as in metav1.Time and metav1.MicroTime.
#pragma once

#include <string_view>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace davit::wire {

// "2026-01-01T00:00:00Z", with a fraction (finer than microseconds is dropped) or an offset
// (+02:00). Years 0000 to 9999; a leap second counts as the second after. Anything else is
// kInvalid.
[[nodiscard]] Result<WallTime> parse_time(std::string_view text);

}  // namespace davit::wire
