// Rule predicates: the rules across fields of Davit's CRDs (their CEL text) as C++. The
// differential suite holds each against the real server's verdict on a thousand objects. Pure.
#pragma once

#include "sim/resource_type.hpp"

namespace davit::sim {

void add_rule_predicates(Registry& registry);

}  // namespace davit::sim
