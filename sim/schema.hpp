// The structural schema of a CRD at work: defaulting, pruning, and the checks of types and bounds.
//
// Rules in CEL (x-kubernetes-validations) are not evaluated here: cross-field rules come through
// their C++ predicates. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/api_error.hpp"

namespace davit::sim {

struct SchemaReport {
  std::vector<std::string> unknown;  // paths of pruned fields
  std::vector<Cause> causes;         // what is invalid
};

// Changes `object` in place: defaults filled in, unknown fields pruned. apiVersion, kind and
// metadata are the server's own and left alone. An empty schema keeps everything.
[[nodiscard]] SchemaReport apply_schema(const json::object& schema, json::object& object);

}  // namespace davit::sim
