// What a status says is compared with what is (Fleet::truth), never with what Davit could see.
//
// Lenient where Davit cannot know yet: Ready may become True up to two minutes after the server was
// last seen serving, may stay True for fifteen while a Davit runs, and other words are compared
// only at the end, after more than twenty quiet minutes. A height may stand above the truth only
// while the node is said to have gone back, or after its disk was changed behind everybody's back.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "operands/blocknode/names.hpp"
#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr Duration kJustServed = std::chrono::minutes(2);
constexpr Duration kLongWrong = std::chrono::minutes(15);
constexpr Duration kBetweenLooks = std::chrono::seconds(15);

// Words for a node that does not work. None of them fits one that does.
constexpr std::array<std::string_view, 16> kNotWorking{
    "Creating",        "Starting",        "Restarting",  "Verifying",
    "PodMissing",      "Scanning",        "Unhealthy",   "PortSilent",
    "CrashLoop",       "Unschedulable",   "AgentFailed", "Observing",
    "ImagePullFailed", "ContainerFailed", "OutOfMemory", "ProbeUnreachable"};

class StatusIsTrue final : public Judge {
 public:
  std::string_view name() const override { return "StatusIsTrue"; }
  std::string_view rule() const override {
    return "Ready means Serving: what a status says is what is.";
  }

  void saw(World& world, const RequestSeen& request) override {
    if (World::is_davit(request.info->user)) look(world);
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!facts::is(event, "blocknodes")) return;
    if (!event.after) {
      nodes_.erase(event.key);
      return;
    }
    Node& node = nodes_[event.key];
    const bool was = node.says_ready;
    node.says_ready = facts::condition(*event.after, "Ready").status == "True";
    if (!node.says_ready) node.wrong_since.reset();
    if (!change.by_davit) return;
    const Fleet::Truth truth = sample(world, event.key, node);
    if (node.says_ready && !was && !truth.running &&
        (!node.served_at || world.loop.now() - *node.served_at > kJustServed)) {
      object(world, fmt::format("BlockNode {} was said to be Ready by {} while its server does not "
                                "serve",
                                event.key.to_string(), change.cause->user));
    }
    heights(world, event, truth, node);
  }

  void at_end(World& world) override {
    for (const Object& node : world.all(blocknode::kBlockNodes)) {
      if (!kube::is_deleting(*node)) last_word(world, *node);
    }
  }

 private:
  struct Node {
    bool says_ready = false;
    std::optional<Monotonic> served_at, wrong_since;
    std::uint64_t highest = 0;  // of all blocks it can ever have had
    unsigned starts = 0;
  };

  Fleet::Truth sample(World& world, const ObjectKey& key, Node& node) {
    Fleet::Truth truth = world.fleet.truth(key.to_string());
    if (truth.running) node.served_at = world.loop.now();
    node.highest = std::max({node.highest, truth.last.value_or(0), truth.sent.value_or(0)});
    return truth;
  }

  // Now and then, at all nodes that are said to be Ready.
  void look(World& world) {
    const Monotonic now = world.loop.now();
    if (now - looked_at_ < kBetweenLooks) return;
    looked_at_ = now;
    for (auto& [key, node] : nodes_) {
      const Fleet::Truth truth = sample(world, key, node);
      if (!node.says_ready || truth.running) {
        node.wrong_since.reset();
        continue;
      }
      if (!node.wrong_since) node.wrong_since = now;
      if (now - *node.wrong_since < kLongWrong) continue;
      object(world,
             fmt::format("BlockNode {} has been said to be Ready for {} min while its server "
                         "does not serve",
                         key.to_string(), kLongWrong / std::chrono::minutes(1)));
      node.wrong_since = now;
    }
  }

  void heights(World& world, const StoredEvent& event, const Fleet::Truth& truth, Node& node) {
    if (!event.before) return;
    constexpr std::string_view kLast = "status.lastBlock";
    const auto said = wire::find_int(*event.after, kLast);
    if (!said || said == wire::find_int(*event.before, kLast)) return;
    const bool same_run = std::exchange(node.starts, truth.starts) == truth.starts;
    if (!same_run || static_cast<std::uint64_t>(*said) <= node.highest) return;
    object(world, fmt::format("BlockNode {} was said to have block {}, and never had one above {}",
                              event.key.to_string(), *said, node.highest));
  }

  void last_word(World& world, const json::object& node) {
    const ObjectKey key = kube::key_of(node);
    const Fleet::Truth truth = world.fleet.truth(key.to_string());
    const auto seen = wire::find_int(node, "status.observedGeneration").value_or(0);
    if (seen != kube::generation_of(node)) {
      object(world, fmt::format("BlockNode {} has generation {}, and its status speaks of {}",
                                key.to_string(), kube::generation_of(node), seen));
    }
    const facts::ConditionWords ready = facts::condition(node, "Ready");
    if (ready.status == "True" && !truth.running) {
      object(world, fmt::format("BlockNode {} is said to be Ready, and its server does not serve",
                                key.to_string()));
    }
    const Object pod = world.server.find(kube::kPods, {key.ns, blocknode::pod_name(key)});
    const bool works = truth.running && pod && facts::is_ready(*pod);
    if (works && ready.status != "True" &&
        std::ranges::find(kNotWorking, ready.reason) != kNotWorking.end()) {
      object(world, fmt::format("BlockNode {} is said not to be Ready ({}: {}), and its server "
                                "serves",
                                key.to_string(), ready.reason, ready.message));
    }
    const std::string_view version = wire::find_string(node, "status.version");
    if (works && ready.status == "True" && version != truth.version) {
      object(world, fmt::format("BlockNode {} is said to run {}, and runs {}", key.to_string(),
                                version, truth.version));
    }
    claims(world, node);
  }

  void claims(World& world, const json::object& node) {
    if (facts::condition(node, "StorageHealthy").status != "True") return;
    const ObjectKey key = kube::key_of(node);
    const json::array* volumes = wire::find_array(node, "status.volumes");
    if (volumes == nullptr) return;
    for (const json::value& volume : *volumes) {
      if (!volume.is_object()) continue;
      const std::string name(wire::find_string(volume.get_object(), "claim"));
      const Object claim = world.server.find(kube::kPersistentVolumeClaims, {key.ns, name});
      if (claim && wire::find_string(*claim, "status.phase") == "Bound") continue;
      object(world, fmt::format("BlockNode {} is said to have healthy storage, and claim {} is {}",
                                key.to_string(), name, claim ? "not bound" : "not there"));
    }
  }

  std::map<ObjectKey, Node> nodes_;
  Monotonic looked_at_;
};

}  // namespace

std::unique_ptr<Judge> status_is_true() { return std::make_unique<StatusIsTrue>(); }

}  // namespace davit::sim
