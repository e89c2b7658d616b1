// One script on a simulator of its own: a fresh ApiServer on virtual time, with Davit's CRDs, and
// with the controllers when the script wants them. Nobody schedules or runs pods: the real side has
// no nodes either. Returns the notes of Player. Deterministic.
#pragma once

#include "sim/differential/player.hpp"

namespace davit::sim::differential {

[[nodiscard]] std::vector<json::object> play_in_simulator(const Script& script, const Kinds& kinds,
                                                          const std::vector<json::object>& crds,
                                                          const std::string& ns);

}  // namespace davit::sim::differential
