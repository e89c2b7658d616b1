// VolumeBinder: what the persistent-volume controllers and a provisioner do: a volume for each
// claim (or the one it names), growth where the class allows it, release or deletion when the claim
// is gone, and the finalizer that keeps a claim while a pod uses it.
#pragma once

#include "sim/operations.hpp"

namespace davit::sim {

class VolumeBinder {
 public:
  bool enabled = true;
  // Claims stay Pending: there is no room, or the provisioner is down.
  bool provisions = true;
  void run(Operations& operations);
};

}  // namespace davit::sim
