// Gathers what status and report show of one BlockNode. What cannot be read is left out and named.
#pragma once

#include <string>
#include <vector>

#include "cli/status_view.hpp"
#include "kube/client.hpp"

namespace davit::cli {

struct Gathered {
  NodeFacts facts;
  std::vector<json::object> children;  // StatefulSet, Services, ConfigMaps, budgets
  std::vector<std::string> problems;   // "events could not be read: …"
};

// Fails only when the BlockNode itself cannot be read.
[[nodiscard]] io::Task<Result<Gathered>> gather(kube::Client& client, ObjectKey node);

}  // namespace davit::cli
