// StatefulSetController: pods of StatefulSets, as pkg/controller/statefulset makes them: in order
// of their ordinals, the next only when the one before is ready; OnDelete leaves running pods
// alone, RollingUpdate replaces them from the highest down; orphans that match are adopted; claims
// come from the templates.
#pragma once

#include "sim/operations.hpp"

namespace davit::sim {

class StatefulSetController {
 public:
  bool enabled = true;
  void run(Operations& operations);
};

}  // namespace davit::sim
