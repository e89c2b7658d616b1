// What came out: groups of like differences, most frequent first, for whoever mends the simulator;
// and the table of sim/conformance.yaml with the result of each row, for readers.
#pragma once

#include "sim/differential/session.hpp"

namespace davit::sim::differential {

// A group: the same verb, resource and place.
struct Group {
  std::vector<Difference> members;
  std::size_t outcome = 0;  // where the first member is shown
};
[[nodiscard]] std::vector<Group> group(const std::vector<Outcome>& outcomes,
                                       const std::function<bool(const Difference&)>& counts);
[[nodiscard]] std::string report(const std::vector<Group>& groups,
                                 const std::vector<Outcome>& outcomes);

// Markdown. `reason` gives the reason of a known difference, or nullptr.
[[nodiscard]] std::string table(const Conformance& conformance,
                                const std::vector<Outcome>& outcomes,
                                const std::function<const std::string*(const Difference&)>& reason);

}  // namespace davit::sim::differential
