#include "sim/controllers/kubelet.hpp"

#include <fmt/format.h>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/pod_status.hpp"

namespace davit::sim {

namespace {

// Programs without a will of their own.
class IdleRuntime final : public ContainerRuntime {
 public:
  void start(const ContainerRef& /*container*/) override {}
  ContainerLook look(const ContainerRef& container) override {
    ContainerLook seen;
    for_each_object(*container.pod, "spec.initContainers", [&](const json::object& init) {
      const bool sidecar = wire::find_string(init, "restartPolicy") == "Always";
      if (wire::find_string(init, "name") == container.name && !sidecar) seen.exit_code = 0;
    });
    return seen;
  }
  bool probe(const ContainerRef& /*container*/, const json::object& /*probe*/) override {
    return true;
  }
  bool terminate(const ContainerRef& /*container*/) override { return true; }
  void kill(const ContainerRef& /*container*/) override {}
};

std::vector<ContainerLife> containers_of(const json::object& pod, bool init) {
  std::vector<ContainerLife> containers;
  for_each_object(
      pod, init ? "spec.initContainers" : "spec.containers", [&](const json::object& spec) {
        ContainerLife container;
        container.name = wire::find_string(spec, "name");
        container.init = init;
        container.sidecar = init && wire::find_string(spec, "restartPolicy") == "Always";
        containers.push_back(std::move(container));
      });
  return containers;
}

ContainerLife* container_of(PodLife& life, std::string_view name) {
  for (std::vector<ContainerLife>* group : {&life.main, &life.init}) {
    for (ContainerLife& container : *group) {
      if (container.name == name) return &container;
    }
  }
  return nullptr;
}

std::string address_of(const Object& node) {
  std::string address;
  if (!node) return address;
  for_each_object(*node, "status.addresses", [&](const json::object& entry) {
    if (wire::find_string(entry, "type") == "InternalIP") {
      address = wire::find_string(entry, "address");
    }
  });
  return address;
}

}  // namespace

Kubelet::Kubelet(Hub& hub)
    : Controller(hub), idle_(std::make_unique<IdleRuntime>()), runtime_(idle_.get()) {}

Kubelet::~Kubelet() = default;

bool Kubelet::hears(const std::string& node) const {
  const auto machine = hub_->machines.find(node);
  return machine == hub_->machines.end() || machine->second.state == MachineState::kUp;
}

NodeFacts Kubelet::facts(const std::string& node) {
  return {*hub_, *runtime_, missing_images_, images_[node], start_time, stop_time};
}

PodLife* Kubelet::find(const ObjectKey& pod) {
  const auto found = lives_.find(pod);
  return found == lives_.end() ? nullptr : &found->second.back();
}

void Kubelet::on_event(const StoredEvent& event) {
  if (event.type != &hub_->pods || writing_) return;
  const bool bound = event.after && !wire::find_string(*event.after, "spec.nodeName").empty();
  const auto lives = lives_.find(event.key);
  if (!bound && lives == lives_.end()) return;
  if (lives != lives_.end()) {
    for (PodLife& life : lives->second) life.dirty = true;
  }
  queue_.add(event.key);
}

void Kubelet::resync() {
  queue_all(hub_->pods);
  for (const auto& [key, lives] : lives_) queue_.add(key);
}

void Kubelet::sync(const ObjectKey& key) {
  const Object pod = hub_->pod(key);
  const std::string uid = pod ? kube::uid_of(*pod).value : std::string();
  const std::string node(pod ? wire::find_string(*pod, "spec.nodeName") : std::string_view());
  bool known = false;
  if (const auto found = lives_.find(key); found != lives_.end()) {
    Lives& lives = found->second;
    for (auto life = lives.begin(); life != lives.end();) {
      if (!hears(life->node)) {
        known = known || life->uid == uid;
        look(*life++, key);
        continue;
      }
      if (life->uid != uid) {  // deleted by force: nothing is waited for
        PodWorker(facts(life->node), *life, now()).kill_all(137, "Error");
        life = lives.erase(life);
        continue;
      }
      known = true;
      life->pod = pod;
      look(*life++, key);
    }
    if (lives.empty()) lives_.erase(found);
  }
  if (known || !pod || node.empty() || is_finished(*pod) || !hears(node)) return;
  look(lives_[key].emplace_back(begin(pod)), key);
}

PodLife Kubelet::begin(const Object& pod) {
  PodLife life;
  life.pod = pod;
  life.uid = kube::uid_of(*pod).value;
  life.node = wire::find_string(*pod, "spec.nodeName");
  life.host_address = address_of(hub_->store.get(hub_->nodes, {"", life.node}));
  ++last_address_;
  life.address = wire::find_bool(*pod, "spec.hostNetwork", false)
                     ? life.host_address
                     : fmt::format("10.{}.{}.{}", 244 + last_address_ / 62'500,
                                   last_address_ / 250 % 250, 1 + last_address_ % 250);
  life.start_time = hub_->now_text();
  life.bound = now();
  life.init = containers_of(*pod, true);
  life.main = containers_of(*pod, false);
  return life;
}

void Kubelet::look(PodLife& life, const ObjectKey& key) {
  const auto machine = hub_->machines.find(life.node);
  const bool off =
      machine != hub_->machines.end() && machine->second.state == MachineState::kPoweredOff;
  if (off) return;
  PodWorker worker(facts(life.node), life, now());
  worker.advance([&] { report(life); });
  report(life);
  if (worker.next()) queue_.add_at(key, *worker.next(), worker.wait());
  if (!life.over || !hears(life.node)) return;
  (void)hub_->remove(hub_->pods, *life.pod, {.grace_seconds = 0});
}

void Kubelet::report(PodLife& life) {
  if (!life.dirty || !hears(life.node)) return;
  life.dirty = false;
  json::object status = pod_status(life, hub_->now_text());
  const json::object* there = wire::find_object(*life.pod, "status");
  if (there && *there == status) return;
  writing_ = true;
  const Object written = hub_->write(hub_->pods, life.pod, "status", "kubelet",
                                     [&](json::object& pod) { pod["status"] = std::move(status); });
  writing_ = false;
  if (written) life.pod = written;
}

void Kubelet::set_image_missing(const std::string& image, bool missing) {
  if (missing) {
    missing_images_.insert(image);
  } else {
    missing_images_.erase(image);
  }
}

bool Kubelet::oom_kill(const ObjectKey& pod, std::string_view name) {
  PodLife* life = find(pod);
  ContainerLife* container = life ? container_of(*life, name) : nullptr;
  if (!container || !container->runs()) return false;
  runtime_->kill({life->pod.get(), container->name});
  PodWorker(facts(life->node), *life, now()).finish(*container, 137, "OOMKilled", "");
  wake(pod);
  return true;
}

bool Kubelet::evict(const ObjectKey& pod, std::string_view resource) {
  PodLife* life = find(pod);
  if (!life || !hears(life->node) || !life->phase.empty() || life->ends_at) return false;
  PodWorker(facts(life->node), *life, now()).kill_all(137, "Error");
  life->phase = "Failed";
  life->reason = "Evicted";
  life->message = fmt::format("The node was low on resource: {}. ", resource);
  life->dirty = true;
  wake(pod);
  return true;
}

void Kubelet::power_off(const std::string& node) {
  for (auto& [key, lives] : lives_) {
    for (PodLife& life : lives) {
      if (life.node != node) continue;
      PodWorker(facts(node), life, now()).kill_all(255, "Unknown");
      for (ContainerLife& container : life.init) {
        if (container.state == ContainerLife::State::kTerminated) {
          container.last_ended = container.ended;
          container.state = ContainerLife::State::kWaiting;
        }
      }
    }
  }
}

void Kubelet::wake_node(const std::string& node) {
  for (auto& [key, lives] : lives_) {
    for (PodLife& life : lives) {
      if (life.node != node) continue;
      life.dirty = true;
      queue_.add(key);
    }
  }
  for (const ObjectKey& key : hub_->pod_index.of_node(node)) queue_.add(key);
}

std::vector<ObjectKey> Kubelet::eviction_order(const std::string& node) const {
  std::vector<std::pair<int, ObjectKey>> order;
  for (const auto& [key, lives] : lives_) {
    const PodLife& life = lives.back();
    if (life.node != node || !life.phase.empty() || life.ends_at) continue;
    const std::string_view importance = wire::find_string(*life.pod, "spec.priorityClassName");
    if (importance.starts_with("system-")) continue;
    const std::string_view quality = quality_class(*life.pod);
    order.emplace_back(quality == "BestEffort" ? 0 : quality == "Burstable" ? 1 : 2, key);
  }
  std::ranges::sort(order);
  std::vector<ObjectKey> keys;
  for (auto& [rank, key] : order) keys.push_back(std::move(key));
  return keys;
}

}  // namespace davit::sim
