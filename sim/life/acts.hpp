// What the acts share: their tables by group, and how a step's object is found.
#pragma once

#include <span>

#include "sim/life/step.hpp"
#include "sim/life/with.hpp"
#include "sim/life/world.hpp"

namespace davit::sim {

[[nodiscard]] std::span<const Act> user_acts();
[[nodiscard]] std::span<const Act> child_acts();
[[nodiscard]] std::span<const Act> cluster_acts();
[[nodiscard]] std::span<const Act> operand_acts();
[[nodiscard]] std::span<const Act> network_acts();
[[nodiscard]] std::span<const Act> davit_acts();

// "statefulsets/bn1" in namespace hiero, "nodes/worker-1", "other/pods/bn1-0".
struct Target {
  const ResourceType* type = nullptr;
  ObjectKey key;
};
[[nodiscard]] Result<Target> target_of(World& world, const Step& step);
// "hiero/bn1": of a step whose object is a BlockNode.
[[nodiscard]] Result<std::string> node_of(World& world, const Step& step);
// Which process; kInvalid when there are not so many.
[[nodiscard]] Result<unsigned> replica_of(World& world, With& with);

// The server's refusal as an Error that is not kInvalid: the step was fine, the answer was no.
[[nodiscard]] Error refusal_of(const ApiError& error);

}  // namespace davit::sim
