#include "sim/life/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "app/access.hpp"
#include "operands/blocknode/crd.hpp"
#include "operands/blocknode/layout.hpp"
#include "sim/life/contains.hpp"
#include "sim/life/process.hpp"
#include "sim/life/switches.hpp"

namespace davit::sim {

namespace {

// Callbacks at one instant: more is a loop without end.
constexpr std::uint64_t kLivelock = 2'000'000;

// Made once: it is the same in every world.
const json::object& crd() {
  static const json::object definition = blocknode::block_node_crd();
  return definition;
}

}  // namespace

World::World(WorldOptions options)
    : loop(options.seed),
      random(options.seed),
      server(loop, random),
      network(loop, random, server),
      cluster(loop, server),
      fleet(loop, server.operations()),
      options_(options),
      processes_(std::max(1U, options.replicas)),
      starts_of_(processes_.size()) {
  install();
  allow_all();
  server.set_faults([this](const RequestInfo& request) { return network.on_request(request); });
  server.on_request([this](const RequestInfo& request, const io::HttpRequest& /*sent*/,
                           const io::HttpResponse* response) {
    if (write_crashes_.empty() || !request.is_write || response == nullptr) return;
    std::erase_if(write_crashes_, [&](PendingCrash& crash) {
      if (request.user != user_of(crash.replica) || --crash.writes > 0) return false;
      crash_soon(crash.replica, crash.down);
      return true;
    });
  });
}

World::~World() {
  for (const io::CallbackId id : restarts_) loop.cancel(id);
  for (const io::CallbackId id : later_) loop.cancel(id);
  processes_.clear();
}

// What deploy/ installs, as far as Davit needs it, and a place for users.
void World::install() {
  cluster.kubelet().set_runtime(fleet);
  (void)server.operations().create(type(kube::kCustomResourceDefinitions), "", crd(),
                                   {.manager = "kubectl"});
  loop.run_ready();  // the definition takes effect
  server.add_namespace("davit-system");
  server.add_namespace("hiero");
  for (unsigned n = 1; n <= options_.workers; ++n) {
    cluster.add_node(fmt::format("worker-{}", n));
  }
  cluster.add_storage_class("standard");
}

const ResourceType& World::type(const kube::Resource& resource) const {
  const ResourceType* found = const_cast<ApiServer&>(server).registry().find(resource);
  if (found == nullptr) throw std::runtime_error(resource.qualified() + " is not served");
  return *found;
}

void World::start(unsigned replica) {
  std::unique_ptr<Process>& slot = processes_.at(replica);
  if (slot) return;
  ++start_count_;
  tell(replica, "starts");
  ++starts_of_.at(replica);
  app::OperatorOptions options{
      .identity = user_of(replica), .ns = "davit-system", .leader_election = processes_.size() > 1};
  options.blocknode.settings.default_repository = "registry.example/block-node";
  options.blocknode.settings.davit_image = "registry.example/davit:0.0.2";
  options.blocknode.settings.hold = options_.hold;
  slot = std::make_unique<Process>(loop, random.next(), server.as(user_of(replica)), network, fleet,
                                   std::move(options), &log_line_,
                                   [this, replica](const std::string& what) {
                                     exceptions_.push_back(what);
                                     crash_soon(replica, std::chrono::seconds(1));
                                   });
}

void World::stop(unsigned replica) {
  if (runs(replica)) tell(replica, "is killed");
  processes_.at(replica).reset();
}

void World::tell(unsigned replica, std::string_view what) const {
  if (process_told_) process_told_(fmt::format("{} {}", user_of(replica), what));
}

bool World::runs(unsigned replica) const {
  return replica < processes_.size() && processes_[replica] != nullptr;
}

void World::crash_soon(unsigned replica, Duration down) { crashes_[replica] = down; }

void World::crash_after_write(unsigned replica, unsigned nth, Duration down) {
  write_crashes_.push_back({replica, std::max(1U, nth), down});
}

void World::crash_now(unsigned replica, Duration down) {
  if (!runs(replica)) return;
  ++crash_count_;
  stop(replica);
  if (down.count() <= 0) {
    start(replica);
  } else {
    restarts_.push_back(loop.call_after(down, [this, replica] { start(replica); }));
  }
}

void World::pause(unsigned replica, Duration time, bool clock_stands) {
  if (!runs(replica)) return;
  processes_[replica]->loop.pause(clock_stands);
  const Process* process = processes_[replica].get();
  restarts_.push_back(loop.call_after(time, [this, replica, process, clock_stands] {
    if (processes_[replica].get() == process && process != nullptr) {
      if (clock_stands) woken_[replica] = loop.now();
      processes_[replica]->loop.resume();
    }
  }));
}

void World::later(Duration time, std::function<void()> what) {
  later_.push_back(loop.call_after(time, std::move(what)));
}

void World::calm() {
  for (const io::CallbackId id : std::exchange(later_, {})) loop.cancel(id);
  network.clear();
  server.set_down(false);
  server.watches().freeze(false);
  set_all_components(*this);
  for (const std::string& node : tampered) {
    fleet.set_faults(node, {});
    fleet.set_lie(node, Fleet::Lie::kNone);
    fleet.set_unreachable(node, false);
    for (const blocknode::VolumeLayout& volume : blocknode::kVolumes) {
      fleet.fill_disk(node, std::string(volume.suffix), false);
      fleet.set_read_only(node, std::string(volume.suffix), false);
    }
  }
  allow_all();
  write_crashes_.clear();
  crash_turn_ = 0;
  for (unsigned replica = 0; replica < processes_.size(); ++replica) {
    if (runs(replica)) processes_[replica]->loop.resume();
    start(replica);
  }
}

void World::after_turn() {
  ++turns_;
  if (crash_turn_ != 0 && turns_ >= crash_turn_) {
    crash_turn_ = 0;
    for (unsigned replica = 0; replica < processes_.size(); ++replica) {
      if (runs(replica)) crashes_.emplace(replica, Duration{0});
    }
  }
  if (!crashes_.empty()) {
    for (const auto& [replica, down] : std::exchange(crashes_, {})) crash_now(replica, down);
  }
  if (on_turn_) on_turn_();
}

void World::advance(Duration time) {
  const Monotonic end = loop.now() + time;
  Monotonic instant = loop.now();
  std::uint64_t since = turns_;
  while (loop.step(end)) {
    after_turn();
    if (loop.now() != instant) {
      instant = loop.now();
      since = turns_;
    } else if (turns_ - since > kLivelock) {
      throw std::runtime_error("callbacks run on and on while no time passes");
    }
  }
  loop.advance(end - loop.now());
}

void World::allow_all() {
  forbidden_.clear();
  for (unsigned replica = 0; replica < processes_.size(); ++replica) {
    AccessControl& access = server.access();
    access.clear(user_of(replica));
    for (const kube::AccessTable table : app::access_tables()) {
      access.allow(user_of(replica), table);
    }
    access.allow(user_of(replica), kube::AccessTable(app::kOwnNamespaceAccess), "davit-system");
  }
}

void World::forbid(const kube::Resource& resource) {
  std::vector<kube::Resource> forbidden = std::move(forbidden_);
  forbidden.push_back(resource);
  const auto kept = [&](kube::AccessTable table) {
    std::vector<kube::Access> rows(table.begin(), table.end());
    std::erase_if(rows,
                  [&](const kube::Access& access) { return contains(forbidden, access.resource); });
    return rows;
  };
  for (unsigned replica = 0; replica < processes_.size(); ++replica) {
    AccessControl& access = server.access();
    access.clear(user_of(replica));
    for (const kube::AccessTable table : app::access_tables()) {
      const std::vector<kube::Access> rows = kept(table);
      access.allow(user_of(replica), kube::AccessTable(rows));
    }
    const std::vector<kube::Access> own = kept(kube::AccessTable(app::kOwnNamespaceAccess));
    access.allow(user_of(replica), kube::AccessTable(own), "davit-system");
  }
  forbidden_ = std::move(forbidden);
}

Answer<Object> World::apply(const std::string& manager, json::object object) {
  const std::string_view version = wire::find_string(object, "apiVersion");
  const ResourceType* found =
      server.registry().find_kind(version, wire::find_string(object, "kind"));
  if (found == nullptr) return not_served(404, "NotFound", "the kind is not served");
  const ObjectKey key = kube::key_of(object);
  return server.operations().patch(*found, key, PatchKind::kApply, object,
                                   {.manager = manager, .force = true});
}

bool World::edit(const kube::Resource& resource, const ObjectKey& key,
                 const std::function<void(json::object&)>& change, const std::string& subresource) {
  const ResourceType* found = server.registry().find(resource);
  return found != nullptr && server.operations().edit(*found, key, subresource, change);
}

void World::remove(const kube::Resource& resource, const ObjectKey& key, DeleteOptions options) {
  const ResourceType* found = server.registry().find(resource);
  if (found != nullptr) (void)server.operations().remove(*found, key, options);
}

Object World::get(const kube::Resource& resource, const ObjectKey& key) const {
  return server.find(resource, key);
}

std::vector<Object> World::all(const kube::Resource& resource) const {
  std::vector<Object> out;
  auto& api = const_cast<ApiServer&>(server);
  const ResourceType* found = api.registry().find(resource);
  if (found == nullptr) return out;
  for (const auto& [key, object] : api.store().all(*found)) out.push_back(object);
  return out;
}

std::string World::word(const std::string& name, std::string_view condition) const {
  const Object node = get(blocknode::kBlockNodes, {"hiero", name});
  const json::array* conditions =
      node == nullptr ? nullptr : wire::find_array(*node, "status.conditions");
  if (conditions == nullptr) return "(none)";
  for (const json::value& value : *conditions) {
    const json::object* c = value.if_object();
    if (c != nullptr && wire::find_string(*c, "type") == condition) {
      return fmt::format("{}/{}", wire::find_string(*c, "status"), wire::find_string(*c, "reason"));
    }
  }
  return "(none)";
}

std::size_t World::davit_writes() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      server.log(), [](const RequestInfo& info) { return info.is_write && is_davit(info.user); }));
}

json::object sample_block_node(const std::string& name) {
  const auto size = [](std::string_view text) { return json::object{{"size", text}}; };
  return {{"apiVersion", blocknode::kBlockNodes.api_version()},
          {"kind", blocknode::kBlockNodes.kind},
          {"metadata", json::object{{"name", name}, {"namespace", "hiero"}}},
          {"spec",
           json::object{{"version", "0.40.1"},
                        {"network", json::object{{"name", "solo"}}},
                        {"resources",
                         json::object{{"requests", json::object{{"cpu", "1"}, {"memory", "2Gi"}}},
                                      {"limits", json::object{{"memory", "2Gi"}}}}},
                        {"storage", json::object{{"live", size("5Gi")},
                                                 {"historic", size("10Gi")},
                                                 {"applicationState", size("1Gi")},
                                                 {"logs", size("1Gi")},
                                                 {"plugins", size("1Gi")}}}}}};
}

}  // namespace davit::sim
