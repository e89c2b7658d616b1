// A small world for scenario tests: the simulated API server, just enough of a cluster (StatefulSet
// controller, kubelet, volume binder), a node that answers as it is told, and the real controller.
//
//   World world;
//   world.create(sample_node());
//   world.advance(std::chrono::minutes(2));
//   EXPECT_EQ(world.word("bn1", "Ready"), "True/Serving");
#pragma once

#include <functional>
#include <memory>

#include "operands/blocknode/access.hpp"
#include "operands/blocknode/crd.hpp"
#include "operands/blocknode/reconcile.hpp"
#include "operands/blocknode/test_nodes.hpp"
#include "operands/blocknode/types_schema.hpp"
#include "sim/api_server.hpp"
#include "sim/virtual_loop.hpp"

namespace davit::blocknode::testing {

// Answers for every pod alike.
struct FakeNode final : NodeProbe {
  bool healthy = true;
  bool reachable = true;
  bool full = false;
  std::int64_t publishers = 0;
  std::optional<std::uint64_t> last;

  Error gone() const { return Error(Code::kUnavailable, "connection refused"); }
  io::Task<Result<HealthReply>> health(Address, io::Deadline) override {
    if (!reachable) co_return fail(gone());
    if (!healthy) co_return HealthReply{503, "Service is not running"};
    co_return HealthReply{200, "OK"};
  }
  io::Task<Result<ServerStatus>> server_status(Address, io::Deadline) override {
    if (!reachable) co_return fail(gone());
    if (!last) co_return ServerStatus{};
    co_return ServerStatus{0, last};
  }
  io::Task<Result<ServerDetail>> server_detail(Address, io::Deadline) override {
    co_return ServerDetail{"0.40.1", {}};
  }
  io::Task<Result<BlockReply>> block(Address, std::uint64_t number, io::Deadline) override {
    co_return BlockReply{number, 100, 3};
  }
  io::Task<Result<std::string>> metrics(Address, io::Deadline) override {
    co_return fmt::format("blocknode_publisher_open_connections {}\n", publishers);
  }
  io::Task<Status> speaks(Address, io::Deadline) override { co_return Status{}; }
  io::Task<Result<std::string>> agent_report(Address, io::Deadline) override {
    if (!reachable) co_return fail(gone());
    AgentReport report;
    for (const VolumeLayout& layout : kVolumes) {
      report.volumes.push_back({.role = std::string(layout.suffix),
                                .total_bytes = 1000,
                                .available_bytes = full ? 0U : 900U,
                                .writable = !full,
                                .error = full ? "No space left on device" : ""});
    }
    co_return wire::canonical(blocknode::to_json(report));
  }
};

class World {
 public:
  explicit World(std::uint64_t seed = 1, Duration hold = std::chrono::seconds(60))
      : loop(seed), random(seed), server(loop, random) {
    server.add_crd(block_node_crd());
    server.add_namespace("hiero");
    server.add_namespace("other");
    server.access().allow("davit", kube::AccessTable(kAccess));
    options.settings = sample_settings();
    options.settings.hold = hold;
    server.store().on_event([this](const sim::StoredEvent&) { wake(); });
    start();
  }
  ~World() {
    stop();
    loop.cancel(tick_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  sim::VirtualLoop loop;
  SeededRandom random;
  sim::ApiServer server;
  FakeNode probe;
  Options options;
  bool kubelet_runs = true;  // false: pods stay as they are
  bool binder_runs = true;

  // Davit as a process.
  void start() { davit_ = std::make_unique<Process>(*this); }
  void stop() { davit_.reset(); }
  void restart() {
    stop();
    start();
  }

  void advance(Duration time) {
    const Monotonic end = loop.now() + time;
    // A crash asked for by a fault happens between two callbacks, as a real one would.
    while (loop.step(end)) {
      if (!crash_) continue;
      crash_ = false;
      restart();
    }
    loop.advance(end - loop.now());
  }
  void crash_soon() { crash_ = true; }

  void create(const BlockNode& node) {
    const auto made = server.operations().create(type(kBlockNodes), node.key.ns,
                                                 write_block_node(node), {.manager = "user"});
    if (!made) throw std::runtime_error("the BlockNode was refused: " + made.error().message);
  }
  void edit_node(const std::string& name, const std::function<void(json::object& spec)>& change) {
    edit(kBlockNodes, {"hiero", name},
         [&](json::object& object) { change(object["spec"].as_object()); });
  }
  void edit(const kube::Resource& resource, const ObjectKey& key,
            const std::function<void(json::object&)>& change, const std::string& sub = {}) {
    server.operations().edit(type(resource), key, sub, change);
  }
  void remove(const kube::Resource& resource, const ObjectKey& key) {
    (void)server.operations().remove(type(resource), key, {});
  }

  [[nodiscard]] json::object get(const kube::Resource& resource, const ObjectKey& key) const {
    const sim::Object object = server.find(resource, key);
    return object == nullptr ? json::object{} : *object;
  }
  [[nodiscard]] bool exists(const kube::Resource& resource, const std::string& name) const {
    return server.find(resource, {"hiero", name}) != nullptr;
  }
  // "True/Serving"
  [[nodiscard]] std::string word(const std::string& name, std::string_view condition_type) const {
    const json::object object = get(kBlockNodes, {"hiero", name});
    const json::array* conditions = wire::find_array(object, "status.conditions");
    if (conditions == nullptr) return "(none)";
    for (const json::value& value : *conditions) {
      const json::object& c = value.as_object();
      if (wire::find_string(c, "type") == condition_type) {
        return fmt::format("{}/{}", wire::find_string(c, "status"), wire::find_string(c, "reason"));
      }
    }
    return "(none)";
  }
  [[nodiscard]] std::vector<std::string> event_reasons() {
    std::vector<std::string> out;
    for (const auto& [key, event] : server.store().all(type(kube::kEvents))) {
      out.emplace_back(wire::find_string(*event, "reason"));
    }
    return out;
  }
  [[nodiscard]] std::size_t writes() const { return server.writes("davit"); }
  [[nodiscard]] std::string pod_uid(const std::string& name) const {
    return kube::uid_of(get(kube::kPods, {"hiero", name + "-0"})).value;
  }

 private:
  struct Process {
    explicit Process(World& world)
        : client(world.server.as("davit"), world.loop),
          events(client, world.random),
          controller(world.loop, world.random, metrics, client, events, world.probe, world.options),
          scope(world.loop) {
      scope.spawn(controller.run());
    }
    Metrics metrics;
    kube::Client client;
    kube::EventRecorder events;
    BlockNodeController controller;
    io::Scope scope;
  };

  [[nodiscard]] const sim::ResourceType& type(const kube::Resource& resource) {
    return *server.registry().find(resource);
  }

  // The rest of the cluster looks half a second after a change.
  void wake() {
    if (tick_ != 0) return;
    tick_ = loop.call_after(std::chrono::milliseconds(500), [this] {
      tick_ = 0;
      bind_claims();
      run_sets();
      run_pods();
    });
  }
  std::vector<json::object> all(const kube::Resource& resource) {
    std::vector<json::object> out;
    for (const auto& [key, object] : server.store().all(type(resource))) out.push_back(*object);
    return out;
  }
  void bind_claims();
  void make_volume(const json::object& claim, const std::string& name);
  void release_volumes();
  void run_sets();
  void run_pods();

  io::CallbackId tick_ = 0;
  bool crash_ = false;
  std::uint64_t volumes_ = 0;
  std::unique_ptr<Process> davit_;
};

// Everything of node bn1 that must come out the same whatever happened on the way.
std::string outcome(World& world);

}  // namespace davit::blocknode::testing
