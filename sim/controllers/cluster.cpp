#include "sim/controllers/cluster.hpp"

namespace davit::sim {

Cluster::Cluster(io::Loop& loop, ApiServer& server)
    : loop_(&loop), operations_(&server.operations()) {
  server.store().on_event([this](const StoredEvent&) { wake(); });
}

void Cluster::wake_at(Monotonic when) {
  if (pending_ != 0) {
    if (pending_at_ <= when) return;
    loop_->cancel(pending_);
  }
  pending_at_ = when;
  pending_ = loop_->call_at(when, [this] {
    pending_ = 0;
    run();
  });
}

void Cluster::run() {
  if (volumes_.enabled) volumes_.run(*operations_);
  if (stateful_sets_.enabled) stateful_sets_.run(*operations_);
  if (kubelet_.enabled) {
    if (const auto later = kubelet_.run(*operations_, loop_->now())) wake_at(*later);
  }
  if (disruptions_.enabled) disruptions_.run(*operations_);
}

void Cluster::add_node(const std::string& name) {
  const ResourceType& nodes = *operations_->registry().find(kube::kNodes);
  (void)operations_->create(nodes, "", {{"metadata", json::object{{"name", name}}}}, {});
  operations_->edit(nodes, {"", name}, "status", [](json::object& node) {
    json::object& status = wire::ensure_object(node, "status");
    status["conditions"] = json::array{json::object{{"type", "Ready"}, {"status", "True"}}};
    status["addresses"] =
        json::array{json::object{{"type", "InternalIP"}, {"address", "192.0.2.1"}}};
  });
}

void Cluster::add_storage_class(const std::string& name, const std::string& reclaim_policy) {
  json::object annotations{{"storageclass.kubernetes.io/is-default-class", "true"}};
  (void)operations_->create(
      *operations_->registry().find(kube::kStorageClasses), "",
      {{"metadata", json::object{{"name", name}, {"annotations", std::move(annotations)}}},
       {"provisioner", "sim.davit.hiero.org"},
       {"reclaimPolicy", reclaim_policy},
       {"allowVolumeExpansion", true}},
      {});
}

}  // namespace davit::sim
