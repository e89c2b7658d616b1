// DisruptionController: the status of PodDisruptionBudgets: how many pods they cover, how many are
// healthy, and how many may go.
#pragma once

#include "sim/operations.hpp"

namespace davit::sim {

class DisruptionController {
 public:
  bool enabled = true;
  void run(Operations& operations);
};

}  // namespace davit::sim
