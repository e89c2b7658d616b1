// The parts of the cluster that can be switched off, by name.
#pragma once

#include <string_view>

#include "sim/life/world.hpp"

namespace davit::sim {

// "kubelet", "statefulsets", "binder", "provisioner", "collector", "disruptions", "scheduler".
void set_component(World& world, std::string_view name, bool on);
// Every part works.
void set_all_components(World& world);

}  // namespace davit::sim
