// Scripts for the rules across fields (x-kubernetes-validations) of a CRD: for each rule, `count`
// generated objects, most of them near the border of what the rule allows, sent with dryRun. Rules
// that look at the old object get objects to be changed first. The same seed gives the same
// scripts.
#pragma once

#include <cstdint>

#include "sim/differential/script.hpp"

namespace davit::sim::differential {

[[nodiscard]] std::vector<Script> rule_scripts(const Kind& kind, const json::object& crd,
                                               std::size_t count, std::uint64_t seed);

}  // namespace davit::sim::differential
