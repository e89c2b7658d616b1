// FleetRig: a Fleet with the objects of one or more Block Nodes in its store, and a hand in place
// of the kubelet. For the tests of this folder and for the contract test.
//
//   FleetRig rig;
//   rig.boot();                       // pod hiero/bn1-0 on its claims, all containers started
//   rig.advance(seconds(5));
//   auto status = rig.ask(rig.fleet.server_status(rig.grpc(), rig.soon()));
#pragma once

#include <string>
#include <utility>

#include "io/scope.hpp"
#include "operands/blocknode/build.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/test_nodes.hpp"
#include "sim/api_server.hpp"
#include "sim/blocknode/fleet.hpp"
#include "sim/virtual_loop.hpp"

namespace davit::sim {

class FleetRig {
 public:
  explicit FleetRig(blocknode::BlockNode node = blocknode::testing::sample_node())
      : node_(std::move(node)) {
    install(node_);
  }

  VirtualLoop loop{1};
  SeededRandom random{1};
  ApiServer server{loop, random};
  Fleet fleet{loop, server.operations()};

  // ---- objects ----
  void put(const kube::Resource& resource, json::object object) {
    auto& store = server.operations().store();
    store.put(*server.operations().registry().find(resource), std::move(object));
  }
  void erase(const kube::Resource& resource, const ObjectKey& key) {
    auto& store = server.operations().store();
    store.erase(*server.operations().registry().find(resource), key);
  }
  // The volume of a role, "pv-bn1-live"; again to grow it.
  void put_volume(const blocknode::BlockNode& node, std::string_view role, std::string_view size,
                  std::string_view uid = "1") {
    const std::string name = fmt::format("pv-{}-{}", node.key.name, role);
    put(kube::kPersistentVolumes,
        {{"apiVersion", "v1"},
         {"kind", "PersistentVolume"},
         {"metadata", json::object{{"name", name}, {"uid", fmt::format("{}-{}", name, uid)}}},
         {"spec", json::object{{"capacity", json::object{{"storage", size}}}}}});
  }
  void bind(const std::string& claim, const std::string& volume) {
    put(kube::kPersistentVolumeClaims,
        {{"apiVersion", "v1"},
         {"kind", "PersistentVolumeClaim"},
         {"metadata", json::object{{"name", claim}, {"namespace", "hiero"}, {"uid", claim}}},
         {"spec", json::object{{"volumeName", volume}}},
         {"status", json::object{{"phase", "Bound"}}}});
  }
  void install(const blocknode::BlockNode& node) {
    for (const blocknode::VolumeLayout& layout : blocknode::kVolumes) {
      put_volume(node, layout.suffix, "1Gi");
      bind(blocknode::claim_name(node.key, layout),
           fmt::format("pv-{}-{}", node.key.name, layout.suffix));
    }
    configure(node);
  }
  void configure(const blocknode::BlockNode& node) {
    const blocknode::BuildInput in = blocknode::testing::sample_input(node);
    put(kube::kConfigMaps, blocknode::build_configmap(in));
    put(kube::kConfigMaps, blocknode::build_files(in));
  }

  // ---- the kubelet's hand ----
  // A new pod of the node, its containers started in their order.
  json::object boot(const blocknode::BlockNode& node, const standin::Environment& more = {}) {
    const blocknode::BuildInput in = blocknode::testing::sample_input(node);
    json::object made = blocknode::testing::running_pod(blocknode::build_statefulset(in));
    ++pods_;
    made["metadata"].as_object()["uid"] = fmt::format("pod-{}", pods_);
    made["status"].as_object()["podIP"] = fmt::format("10.0.0.{}", pods_);
    set_environment(made, more);
    return run(std::move(made));
  }
  void boot(const standin::Environment& more = {}) { pod = boot(node_, more); }
  // Variables of the server's container, over those of its ConfigMap.
  static void set_environment(json::object& pod, const standin::Environment& variables) {
    for (json::value& container : pod["spec"].as_object()["containers"].as_array()) {
      if (wire::find_string(container.as_object(), "name") != "server") continue;
      json::array env;
      for (const auto& [name, value] : variables) {
        env.push_back(json::object{{"name", name}, {"value", value}});
      }
      container.as_object()["env"] = std::move(env);
    }
  }
  json::object run(json::object made) {
    put(kube::kPods, made);
    for (const char* name : {"copy-start", "server", "agent"}) fleet.start({&made, name});
    return made;
  }
  void boot_ready() {
    boot();
    advance(std::chrono::seconds(5));
  }
  void restart_server() { fleet.start(at("server")); }
  void kill_pod() {
    for (const char* name : {"copy-start", "server", "agent"}) fleet.kill(at(name));
    erase(kube::kPods, kube::key_of(pod));
  }
  ContainerRef at(std::string_view name) const { return {&pod, name}; }
  ContainerLook look(std::string_view name = "server") { return fleet.look(at(name)); }
  // One of the pod's own probes: "livenessProbe".
  bool probe(std::string_view container, std::string_view which) {
    for (const json::value& value : *wire::find_array(pod, "spec.containers")) {
      const json::object& spec = value.as_object();
      if (wire::find_string(spec, "name") != container) continue;
      return fleet.probe(at(container), *wire::find_object(spec, which));
    }
    throw std::invalid_argument("no such container");
  }

  // ---- Davit's hand ----
  blocknode::Address address(std::uint16_t port) const {
    return {std::string(wire::find_string(pod, "status.podIP")), port};
  }
  blocknode::Address grpc() const { return address(blocknode::kGrpcPort); }
  blocknode::Address health() const { return address(blocknode::kHealthPort); }
  io::Deadline soon() const { return io::Deadline::after(loop, std::chrono::seconds(3)); }
  template <typename T>
  T ask(io::Task<T> task) {
    std::optional<T> answer;
    io::Scope scope(loop);
    scope.spawn(keep(std::move(task), answer));
    const Monotonic end = loop.now() + std::chrono::minutes(1);
    while (!answer && loop.step(end)) {
    }
    if (!answer) throw std::runtime_error("no answer in a minute");
    return std::move(*answer);
  }
  std::optional<std::uint64_t> last() {
    const auto status = ask(fleet.server_status(grpc(), soon()));
    if (!status) throw std::runtime_error(status.error().describe());
    return status->last;
  }
  blocknode::AgentReport report() {
    const auto text = ask(fleet.agent_report(address(blocknode::kAgentPort), soon()));
    if (!text) throw std::runtime_error(text.error().describe());
    return *blocknode::parse_agent_report(*text);
  }
  blocknode::VolumeReport volume(std::string_view role) {
    for (const blocknode::VolumeReport& volume : report().volumes) {
      if (volume.role == role) return volume;
    }
    throw std::invalid_argument("no such volume");
  }

  void advance(Duration time) { loop.advance(time); }
  [[nodiscard]] Fleet::Truth truth() const { return fleet.truth("hiero/bn1"); }

  json::object pod;

 private:
  template <typename T>
  static io::Task<void> keep(io::Task<T> task, std::optional<T>& answer) {
    answer.emplace(co_await std::move(task));
  }

  blocknode::BlockNode node_;
  unsigned pods_ = 0;
};

}  // namespace davit::sim
