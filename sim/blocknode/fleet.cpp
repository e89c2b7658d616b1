#include "sim/blocknode/fleet.hpp"

#include "sim/blocknode/fleet_impl.hpp"

namespace davit::sim {

Fleet::Fleet(io::Loop& loop, Operations& operations)
    : impl_(std::make_unique<Impl>(loop, operations)) {}

Fleet::~Fleet() = default;

void Fleet::Impl::publish_round(const std::string& name) {
  SimulatedNode& node = nodes[name];
  const SimulatedPod* pod = serving_pod(name);
  node.publisher.round(pod == nullptr ? nullptr : pod->server(), pod == nullptr ? 0 : pod->run,
                       chain);
  node.second = loop.call_after(node.publisher.period, [this, name] { publish_round(name); });
}

void Fleet::publish(const std::string& name, unsigned blocks, Duration period) {
  SimulatedNode& node = impl_->nodes[name];
  const bool was_there = node.publisher.blocks > 0;
  node.publisher.blocks = blocks;
  node.publisher.period = std::max<Duration>(period, std::chrono::milliseconds(1));
  if (blocks > 0) {
    if (was_there) return;
    node.second = impl_->loop.post([impl = impl_.get(), name] { impl->publish_round(name); });
    return;
  }
  impl_->loop.cancel(std::exchange(node.second, 0));
  const SimulatedPod* pod = impl_->serving_pod(name);
  node.publisher.leave(pod == nullptr ? nullptr : pod->server(), pod == nullptr ? 0 : pod->run);
}

void Fleet::set_faults(const std::string& name, const standin::Faults& faults) {
  SimulatedNode& node = impl_->nodes[name];
  node.faults = faults;
  // These happen once, to the process that runs now.
  node.faults.crash = node.faults.fatal = false;
  const SimulatedPod* pod = impl_->serving_pod(name);
  if (pod != nullptr) pod->server()->set_faults(faults);
}

void Fleet::set_unreachable(const std::string& node, bool on) {
  impl_->nodes[node].unreachable = on;
}

void Fleet::set_lie(const std::string& node, Lie lie) { impl_->nodes[node].lie = lie; }

void Fleet::fill_disk(const std::string& node, const std::string& role, bool full) {
  if (const auto disk = impl_->disk(node, role)) disk->fill(full);
}

void Fleet::set_read_only(const std::string& node, const std::string& role, bool on) {
  if (const auto disk = impl_->disk(node, role)) disk->set_read_only(on);
}

void Fleet::empty_disk(const std::string& node, const std::string& role) {
  if (const auto disk = impl_->disk(node, role)) disk->empty();
}

void Fleet::listen(LogListener listener) { impl_->log = std::move(listener); }

Server* Fleet::server(const std::string& node) const {
  const SimulatedPod* pod = impl_->serving_pod(node);
  return pod == nullptr ? nullptr : pod->server();
}

standin::Volume* Fleet::files(const std::string& node, const std::string& role) const {
  const auto disk = impl_->disk(node, role);
  return disk ? &disk->files() : nullptr;
}

Fleet::Truth Fleet::truth(const std::string& name) const {
  Truth truth;
  const auto node = impl_->nodes.find(name);
  if (node != impl_->nodes.end()) {
    truth.starts = node->second.starts;
    truth.sent = node->second.publisher.highest();
  }
  const SimulatedPod* pod = impl_->serving_pod(name);
  if (pod == nullptr) return truth;
  const Server& server = *pod->server();
  const bool pretends = node != impl_->nodes.end() && node->second.lie == Lie::kHealthyWhileDead;
  truth.running = server.is_up() && !pretends;
  truth.version = server.model().settings().version().text();
  truth.plugins = server.plugin_ids();
  truth.first = server.model().first_available();
  truth.last = server.model().last_available();
  if (node != impl_->nodes.end()) {
    truth.publishers = node->second.publisher.is_connected_to(pod->run) ? 1 : 0;
  }
  truth.disks = pod->disks;
  truth.shares_a_disk = impl_->shares_a_disk(*pod);
  return truth;
}

std::optional<std::uint64_t> Fleet::blocks_on(const std::string& volume) const {
  const auto disk = impl_->rack.of_volume(volume);
  if (!disk) return std::nullopt;
  return disk->blocks();
}

void Fleet::start(const ContainerRef& container) { impl_->start(container); }

ContainerLook Fleet::look(const ContainerRef& ref) {
  const SimulatedContainer* container = impl_->find(ref);
  if (container == nullptr) return {};
  if (container->exit_code)
    return {.exit_code = container->exit_code, .message = container->message};
  if (!container->server) return {};
  const Server& server = *container->server;
  ContainerLook out;
  out.exit_code = server.exit_code();
  if (out.exit_code) {
    out.message = server.last_words();
  } else if (const auto next = server.next()) {
    out.again = *next - impl_->loop.now();
  }
  return out;
}

bool Fleet::probe(const ContainerRef& container, const json::object& probe) {
  return impl_->probe(container, probe);
}

bool Fleet::terminate(const ContainerRef& ref) {
  SimulatedContainer* container = impl_->find(ref);
  if (container == nullptr || container->exit_code) return true;
  if (container->server) {
    container->server->terminate();
  } else {
    container->exit_code = container->agent ? 0 : 143;
  }
  return true;
}

void Fleet::kill(const ContainerRef& ref) {
  if (SimulatedContainer* container = impl_->find(ref)) *container = {};
}

}  // namespace davit::sim
