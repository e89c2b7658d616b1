// Pods of the fleet: what a container runtime does when the kubelet asks.
#include <fmt/format.h>

#include <algorithm>

#include "kube/resource.hpp"
#include "operands/blocknode/layout.hpp"
#include "operands/blocknode/names.hpp"
#include "sim/blocknode/fleet_impl.hpp"

namespace davit::sim {

namespace {

constexpr int kRefused = 78;       // davit-start: EX_CONFIG
constexpr int kCannotStart = 128;  // a container runtime: the process could not be made

bool is_agent(const std::vector<std::string>& command) {
  const auto agent = std::ranges::find(command, "agent");
  return agent != command.end() && std::next(agent) != command.end() &&
         *std::next(agent) == "watch";
}

// "davit-start --install DIR": DIR; empty: another program.
std::string installs_into(const std::vector<std::string>& command) {
  if (command.size() < 3 || !command[0].ends_with("davit-start")) return {};
  return command[1] == "--install" ? command[2] : std::string();
}

void end(SimulatedContainer& container, int exit_code, std::string message) {
  container.exit_code = exit_code;
  container.message = std::move(message);
}

const json::object* find_volume(const json::object& pod, std::string_view name) {
  const json::array* volumes = wire::find_array(pod, "spec.volumes");
  if (volumes == nullptr) return nullptr;
  for (const json::value& volume : *volumes) {
    if (wire::find_string(volume.as_object(), "name") == name) return &volume.as_object();
  }
  return nullptr;
}

}  // namespace

Server* SimulatedPod::server() const {
  for (const auto& [name, container] : containers) {
    if (container.server && !container.server->exit_code()) return container.server.get();
  }
  return nullptr;
}

SimulatedAgent* SimulatedPod::agent() const {
  for (const auto& [name, container] : containers) {
    if (container.agent && !container.exit_code) return container.agent.get();
  }
  return nullptr;
}

bool SimulatedPod::is_alive() const {
  return std::ranges::any_of(containers, [](const auto& entry) {
    const SimulatedContainer& container = entry.second;
    return container.running && !container.exit_code &&
           (!container.server || !container.server->exit_code());
  });
}

Fleet::Impl::Impl(io::Loop& loop_in, Operations& operations_in)
    : loop(loop_in),
      operations(operations_in),
      rack(operations_in),
      // Small blocks: what counts is how many there are.
      chain({.seed = 1, .block_bytes = 32}) {}

Fleet::Impl::~Impl() {
  for (auto& [name, node] : nodes) loop.cancel(node.second);
}

SimulatedPod& Fleet::Impl::pod_of(const json::object& object) {
  const std::string uid = kube::uid_of(object).value;
  std::unique_ptr<SimulatedPod>& pod = pods_[uid];
  if (!pod) {
    pod = std::make_unique<SimulatedPod>();
    pod->uid = uid;
    pod->key = kube::key_of(object);
    if (const json::object* labels = wire::find_object(object, "metadata.labels")) {
      const json::value* name = labels->if_contains(blocknode::kNodeLabel);
      if (name != nullptr && name->is_string()) {
        pod->node = fmt::format("{}/{}", pod->key.ns, std::string_view(name->get_string()));
      }
    }
  }
  if (const std::string_view ip = wire::find_string(object, "status.podIP"); !ip.empty()) {
    pod->address = ip;
    addresses_[pod->address] = pod.get();
  }
  return *pod;
}

SimulatedContainer* Fleet::Impl::find(const ContainerRef& ref) const {
  const auto pod = pods_.find(kube::uid_of(*ref.pod).value);
  if (pod == pods_.end()) return nullptr;
  const auto container = pod->second->containers.find(ref.name);
  return container == pod->second->containers.end() ? nullptr : &container->second;
}

void Fleet::Impl::forget_dead_pods() {
  const ResourceType& type = *operations.registry().find(kube::kPods);
  std::erase_if(pods_, [&](const auto& entry) {
    const SimulatedPod& pod = *entry.second;
    if (pod.is_alive()) return false;
    const Object object = operations.store().get(type, pod.key);
    if (object && kube::uid_of(*object).value == pod.uid) return false;
    std::erase_if(addresses_, [&](const auto& address) { return address.second == &pod; });
    return true;
  });
}

std::shared_ptr<Disk> Fleet::Impl::disk_for(SimulatedPod& pod, const json::object& volume,
                                            std::string& persistent_volume) {
  if (const std::string_view claim = wire::find_string(volume, "persistentVolumeClaim.claimName");
      !claim.empty()) {
    return rack.of_claim({pod.key.ns, std::string(claim)}, persistent_volume);
  }
  std::shared_ptr<Disk>& disk = pod.scratch[std::string(wire::find_string(volume, "name"))];
  if (disk) return disk;
  disk = std::make_shared<Disk>(0);
  const std::string map(wire::find_string(volume, "configMap.name"));
  if (map.empty()) return disk;
  const Object object =
      operations.store().get(*operations.registry().find(kube::kConfigMaps), {pod.key.ns, map});
  const json::object* data = object ? wire::find_object(*object, "data") : nullptr;
  if (data == nullptr) return disk;
  for (const auto& [name, value] : *data) {
    if (value.is_string()) {
      (void)disk->files().write("/" + std::string(name), std::string_view(value.get_string()));
    }
  }
  return disk;
}

std::unique_ptr<Mounts> Fleet::Impl::mounts_for(SimulatedPod& pod, const json::object& object,
                                                const ContainerSpec& spec,
                                                std::map<std::string, std::string>& volumes) {
  auto mounts = std::make_unique<Mounts>();
  for (const MountSpec& mount : spec.mounts) {
    const json::object* volume = find_volume(object, mount.volume);
    if (volume == nullptr) continue;
    std::string persistent_volume;
    std::shared_ptr<Disk> disk = disk_for(pod, *volume, persistent_volume);
    if (!disk) return nullptr;
    if (!persistent_volume.empty()) volumes[mount.path] = persistent_volume;
    mounts->add({.path = mount.path,
                 .sub_path = mount.sub_path,
                 .read_only = mount.read_only,
                 .disk = std::move(disk)});
  }
  return mounts;
}

void Fleet::Impl::start(const ContainerRef& ref) {
  forget_dead_pods();
  SimulatedPod& pod = pod_of(*ref.pod);
  SimulatedContainer& container = pod.containers[std::string(ref.name)];
  container = {};
  container.running = true;
  const auto spec = container_spec(operations, *ref.pod, ref.name);
  if (!spec) return;
  std::map<std::string, std::string> volumes;  // by mount path
  auto mounts = mounts_for(pod, *ref.pod, *spec, volumes);
  if (!mounts) return end(container, kCannotStart, "a volume of the pod is not there");
  if (const std::string folder = installs_into(spec->command); !folder.empty()) {
    const bool done = mounts->write(folder + "/davit-start", "davit-start").has_value();
    return end(container, done ? 0 : 1, done ? "" : "cannot install into " + folder);
  }
  if (is_agent(spec->command)) {
    container.agent = std::make_unique<SimulatedAgent>(loop, spec->command, std::move(mounts));
  } else if (const auto order = start_order(spec->command)) {
    start_server(pod, container, *spec, *order, std::move(mounts), volumes);
  }
}

void Fleet::Impl::start_server(SimulatedPod& pod, SimulatedContainer& container,
                               const ContainerSpec& spec, const StartOrder& order,
                               std::unique_ptr<Mounts> mounts,
                               const std::map<std::string, std::string>& volumes) {
  if (!mounts->size(spec.command.front())) {
    return end(container, kCannotStart,
               fmt::format("exec: \"{}\": no such file or directory", spec.command.front()));
  }
  // The image holds one version; an image without one in its name, whatever is asked for.
  const auto version = image_version(spec.image);
  const auto program = [](std::string_view of) {
    return fmt::format("{}/app-{}/bin/app", blocknode::kBaseDir, of);
  };
  const blocknode::StartReport report =
      check_start(*mounts, order, version ? program(*version) : order.program);
  (void)mounts->write(std::string(blocknode::kStartReport),
                      wire::canonical(blocknode::to_json(report)));
  if (report.refused) {
    return end(container, kRefused, fmt::format("{}: {}", report.reason, report.message));
  }
  standin::Environment environment = spec.environment;
  if (version) environment["VERSION"] = *version;
  pod.run = ++last_run_;
  pod.disks.clear();
  pod.held.clear();
  for (const RoleMount& role : order.volumes) {
    const auto volume = volumes.find(role.path);
    if (volume == volumes.end()) continue;
    pod.disks[role.role] = volume->second;
    pod.held.push_back(rack.of_volume(volume->second));
  }
  container.server = std::make_unique<Server>(loop, environment, std::move(mounts));
  container.server->listen([this, node = pod.node](const standin::LogLine& line) {
    if (log) log(node, line);
  });
  standin::Faults faults;
  if (!pod.node.empty()) {
    SimulatedNode& node = nodes[pod.node];
    ++node.starts;
    node.disks = pod.disks;
    faults = node.faults;
  }
  container.server->start(faults);
}

bool Fleet::Impl::probe(const ContainerRef& ref, const json::object& probe) {
  const SimulatedContainer* container = find(ref);
  const json::object* spec = find_container(*ref.pod, ref.name);
  if (container == nullptr || spec == nullptr || !container->running || container->exit_code) {
    return false;
  }
  const SimulatedPod& pod = *pods_.at(kube::uid_of(*ref.pod).value);
  Server* server = container->server.get();
  if (server != nullptr && server->exit_code()) return false;
  const json::object* http = wire::find_object(probe, "httpGet");
  const json::object* tcp = wire::find_object(probe, "tcpSocket");
  if (http == nullptr && tcp == nullptr) return !probe.contains("grpc");
  const std::uint16_t port =
      port_number(*spec, (http != nullptr ? http : tcp)->if_contains("port"));
  if (container->agent) {
    if (port != container->agent->port()) return false;
    return http == nullptr || wire::find_string(*http, "path") != "/readyz" ||
           container->agent->is_ready(pod.server());
  }
  if (server == nullptr) return true;
  const auto node = nodes.find(pod.node);
  const Lie lie = node == nodes.end() ? Lie::kNone : node->second.lie;
  if (http == nullptr) return server->accepts(port);
  if (lie == Lie::kHealthyWhileDead || (lie == Lie::kGarbage && server->accepts(port))) return true;
  if (lie == Lie::kSlow &&
      slow_answer() > std::chrono::seconds(wire::find_int(probe, "timeoutSeconds").value_or(1))) {
    return false;
  }
  const std::string_view path = wire::find_string(*http, "path", "/");
  if (server->serves(port, Server::Service::kHealth)) {
    const int status = server->model().health(path, server->time()).status;
    return status >= 200 && status < 400;
  }
  return server->serves(port, Server::Service::kMetrics) && path.starts_with("/metrics");
}

SimulatedPod* Fleet::Impl::serving_pod(const std::string& node) const {
  SimulatedPod* newest = nullptr;
  for (const auto& [uid, pod] : pods_) {
    if (pod->node != node || pod->server() == nullptr) continue;
    if (newest == nullptr || pod->run > newest->run) newest = pod.get();
  }
  return newest;
}

bool Fleet::Impl::shares_a_disk(const SimulatedPod& pod) const {
  return std::ranges::any_of(pods_, [&](const auto& entry) {
    const SimulatedPod& other = *entry.second;
    return &other != &pod && other.server() != nullptr &&
           std::ranges::any_of(pod.held, [&](const std::shared_ptr<Disk>& disk) {
             return std::ranges::find(other.held, disk) != other.held.end();
           });
  });
}

std::shared_ptr<Disk> Fleet::Impl::disk(const std::string& node, const std::string& role) {
  const auto layout = std::ranges::find_if(blocknode::kVolumes, [&](const auto& each) {
    return each.suffix == role || each.key == role;
  });
  if (layout == blocknode::kVolumes.end()) return nullptr;
  const std::string suffix(layout->suffix);
  if (const SimulatedPod* pod = serving_pod(node)) {
    const auto volume = pod->disks.find(suffix);
    return volume == pod->disks.end() ? nullptr : rack.of_volume(volume->second);
  }
  const auto slash = node.find('/');
  if (slash == std::string::npos) return nullptr;
  const ObjectKey key{node.substr(0, slash), node.substr(slash + 1)};
  std::string volume;
  if (auto disk = rack.of_claim({key.ns, blocknode::claim_name(key, *layout)}, volume)) return disk;
  const auto known = nodes.find(node);
  if (known == nodes.end()) return nullptr;
  const auto last = known->second.disks.find(suffix);
  return last == known->second.disks.end() ? nullptr : rack.of_volume(last->second);
}

}  // namespace davit::sim
