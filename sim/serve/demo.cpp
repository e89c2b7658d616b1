#include "sim/serve/demo.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace davit::sim {

namespace {

// Requests remembered; nobody reads them here.
constexpr std::size_t kLongestLog = 10'000;

std::string node_name(unsigned index) { return fmt::format("bn{}", index + 1); }

const json::object* status_of(const json::object& pod, std::string_view container) {
  for (const char* list : {"status.containerStatuses", "status.initContainerStatuses"}) {
    const json::array* statuses = wire::find_array(pod, list);
    if (!statuses) continue;
    for (const json::value& entry : *statuses) {
      const json::object* status = entry.if_object();
      if (status && wire::find_string(*status, "name") == container) return status;
    }
  }
  return nullptr;
}

}  // namespace

Demo::Demo(DemoOptions options, WallTime now)
    : world({.seed = options.seed, .workers = options.workers}), options_(options) {
  world.loop.jump_wall(now - world.loop.wall());
  world.server.set_pod_log([this](const Route& route) { return pod_log(route); });
  world.start();
  add_block_nodes();
}

void Demo::add_block_nodes() {
  for (unsigned i = 0; i < options_.block_nodes; ++i) {
    const std::string name = node_name(i);
    const auto made = world.apply("kubectl", sample_block_node(name));
    if (!made) throw std::runtime_error("the sample was refused: " + made.error().message);
    world.fleet.publish(fmt::format("{}/{}", kDemoNamespace, name), options_.blocks_per_second);
  }
}

void Demo::advance(Duration time) {
  world.advance(time);
  if (world.server.log().size() > kLongestLog) world.server.clear_log();
}

// What a container would have said, as far as the simulator knows it: when it started, how it ended
// and, of a Block Node's server, where it stands.
std::string Demo::pod_log(const Route& route) const {
  const Object pod = world.get(kube::kPods, route.key());
  if (!pod) return {};
  std::string container(route.parameter("container"));
  if (container.empty()) {
    const json::array* containers = wire::find_array(*pod, "spec.containers");
    if (containers && !containers->empty()) {
      container = wire::find_string(containers->front().as_object(), "name");
    }
  }
  const json::object* status = status_of(*pod, container);
  if (!status) return {};
  std::string text;
  const auto say = [&](std::string_view when, std::string_view what) {
    if (!when.empty()) text += fmt::format("{} {}\n", when, what);
  };
  say(wire::find_string(*status, "lastState.terminated.finishedAt"),
      fmt::format("ended with exit code {} {}",
                  wire::find_int(*status, "lastState.terminated.exitCode").value_or(0),
                  wire::find_string(*status, "lastState.terminated.message")));
  say(wire::find_string(*status, "state.terminated.startedAt"), container + " started");
  say(wire::find_string(*status, "state.terminated.finishedAt"),
      fmt::format("ended with exit code {} {}",
                  wire::find_int(*status, "state.terminated.exitCode").value_or(0),
                  wire::find_string(*status, "state.terminated.message")));
  say(wire::find_string(*status, "state.running.startedAt"), container + " started");
  return text;
}

}  // namespace davit::sim
