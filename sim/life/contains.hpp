// contains(range, value): std::ranges::contains, which libstdc++ 12 has not yet.
#pragma once

#include <algorithm>

namespace davit::sim {

template <typename Range, typename T>
[[nodiscard]] bool contains(const Range& range, const T& value) {
  return std::ranges::find(range, value) != std::ranges::end(range);
}

}  // namespace davit::sim
