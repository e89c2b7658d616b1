#include "sim/controllers/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/controllers/eviction.hpp"
#include "sim/controllers/objects.hpp"
#include "sim/controllers/workload.hpp"

namespace davit::sim {

Cluster::Cluster(io::Loop& loop, ApiServer& server)
    : hub_(loop, server.operations()),
      server_(&server),
      kubelet_(hub_),
      scheduler_(hub_),
      nodes_(hub_, kubelet_),
      stateful_sets_(hub_),
      daemon_sets_(hub_),
      deployments_(hub_),
      replica_sets_(hub_),
      jobs_(hub_),
      volumes_(hub_),
      growth_(hub_),
      volume_keeper_(hub_),
      snapshots_(hub_),
      disruptions_(hub_),
      quotas_(hub_),
      controllers_{&kubelet_,       &scheduler_,    &nodes_,       &stateful_sets_, &daemon_sets_,
                   &deployments_,   &replica_sets_, &jobs_,        &volumes_,       &growth_,
                   &volume_keeper_, &snapshots_,    &disruptions_, &quotas_} {
  server.operations().add_admission(quota_admission(server.operations()));
  server.store().on_event([this](const StoredEvent& event) {
    for (Controller* controller : controllers_) controller->on_event(event);
  });
  wake();
}

Cluster::~Cluster() = default;

void Cluster::wake() {
  for (Controller* controller : controllers_) controller->resync();
}

bool Cluster::settled() const {
  return std::ranges::all_of(controllers_, &Controller::settled) && server_->collector().settled();
}

void Cluster::set_component_enabled(std::string_view component, bool enabled) {
  for (Controller* controller : controllers_) {
    const std::string_view of = controller == &kubelet_     ? "kubelet"
                                : controller == &scheduler_ ? "kube-scheduler"
                                                            : "kube-controller-manager";
    if (of == component) controller->set_enabled(enabled);
  }
  if (component == "kube-controller-manager") server_->collector().set_enabled(enabled);
}

void Cluster::add_node(const std::string& name, const NodeOptions& options) {
  json::object labels = options.labels;
  labels["kubernetes.io/hostname"] = name;
  labels["kubernetes.io/os"] = "linux";
  labels["kubernetes.io/arch"] = "amd64";
  json::object spec;
  if (!options.taints.empty()) spec["taints"] = options.taints;
  const Object node = hub_.create(
      hub_.nodes, "",
      {{"metadata", json::object{{"name", name}, {"labels", std::move(labels)}}}, {"spec", spec}},
      "kubelet");
  if (!node) return;
  const std::size_t number = hub_.store.all(hub_.nodes).size();
  json::object room{{"pods", options.pods}};
  if (!options.cpu.empty()) room["cpu"] = options.cpu;
  if (!options.memory.empty()) room["memory"] = options.memory;
  const std::string now = hub_.now_text();
  hub_.write(hub_.nodes, node, "status", "kubelet", [&](json::object& object) {
    json::object& status = wire::ensure_object(object, "status");
    json::array conditions;
    set_condition(conditions, "MemoryPressure", "False", "KubeletHasSufficientMemory",
                  "kubelet has sufficient memory available", now);
    set_condition(conditions, "DiskPressure", "False", "KubeletHasNoDiskPressure",
                  "kubelet has no disk pressure", now);
    set_condition(conditions, "PIDPressure", "False", "KubeletHasSufficientPID",
                  "kubelet has sufficient PID available", now);
    set_condition(conditions, "Ready", "True", "KubeletReady", "kubelet is posting ready status",
                  now);
    status["conditions"] = std::move(conditions);
    status["addresses"] = json::array{
        json::object{{"type", "InternalIP"}, {"address", fmt::format("192.0.2.{}", number)}},
        json::object{{"type", "Hostname"}, {"address", name}}};
    status["capacity"] = room;
    status["allocatable"] = room;
    status["nodeInfo"] = json::object{{"architecture", "amd64"},
                                      {"operatingSystem", "linux"},
                                      {"osImage", "simulated"},
                                      {"kernelVersion", "6.1.0"},
                                      {"containerRuntimeVersion", "containerd://2.1.0"},
                                      {"kubeletVersion", "v1.36.3"},
                                      {"kubeProxyVersion", ""},
                                      {"machineID", name},
                                      {"systemUUID", name},
                                      {"bootID", name}};
  });
}

void Cluster::add_storage_class(const std::string& name, const StorageClassOptions& options) {
  json::object metadata{{"name", name}};
  if (options.is_default) {
    metadata["annotations"] = json::object{{"storageclass.kubernetes.io/is-default-class", "true"}};
  }
  hub_.create(
      hub_.classes, "",
      {{"metadata", std::move(metadata)},
       {"provisioner", "sim.davit.hiero.org"},
       {"reclaimPolicy", options.reclaim_policy},
       {"volumeBindingMode", options.wait_for_consumer ? "WaitForFirstConsumer" : "Immediate"},
       {"allowVolumeExpansion", options.can_grow}});
}

bool Cluster::cordon(const std::string& name, bool on) {
  const Object node = hub_.store.get(hub_.nodes, {"", name});
  if (!node) return false;
  if (wire::find_bool(*node, "spec.unschedulable", false) == on) return true;
  hub_.write(hub_.nodes, node, "", "kubectl-cordon", [&](json::object& object) {
    json::object& spec = wire::ensure_object(object, "spec");
    spec.erase("unschedulable");
    if (on) spec["unschedulable"] = true;
  });
  return true;
}

std::size_t Cluster::drain(const std::string& node) {
  cordon(node);
  std::size_t left = 0;
  const PodIndex::Keys keys = hub_.pod_index.of_node(node);
  for (const ObjectKey& key : keys) {
    const Object pod = hub_.pod(key);
    if (!pod || is_finished(*pod) || !controller_key(*pod, "DaemonSet").name.empty()) continue;
    ++left;
    if (!kube::is_deleting(*pod)) (void)evict(hub_.operations, key, {});
  }
  return left;
}

}  // namespace davit::sim
