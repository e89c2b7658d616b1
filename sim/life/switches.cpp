#include "sim/life/switches.hpp"

namespace davit::sim {

void set_component(World& world, std::string_view name, bool on) {
  Cluster& cluster = world.cluster;
  if (name == "kubelet") cluster.kubelet().set_enabled(on);
  if (name == "statefulsets") cluster.stateful_sets().set_enabled(on);
  if (name == "binder") cluster.volumes().set_enabled(on);
  if (name == "provisioner") cluster.volumes().set_provisions(on);
  if (name == "disruptions") cluster.disruptions().set_enabled(on);
  if (name == "scheduler") cluster.scheduler().set_enabled(on);
  if (name == "collector") world.server.collector().set_enabled(on);
  if (on) cluster.wake();
}

void set_all_components(World& world) {
  for (const std::string_view name : {"kubelet", "statefulsets", "binder", "provisioner",
                                      "collector", "disruptions", "scheduler"}) {
    set_component(world, name, true);
  }
}

}  // namespace davit::sim
