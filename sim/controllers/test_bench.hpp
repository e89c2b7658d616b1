// ControllersBench: a cluster with two nodes, a storage class and containers that do as they are
// told, for tests of the simulated controllers.
//
//   ControllersBench b;
//   b.make("apps/v1", "StatefulSet", R"({"metadata": {"name": "s"}, "spec": …})");
//   b.settle(seconds(10));
//   EXPECT_EQ(b.text("pods", "s-0", "status.phase"), "Running");
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/controllers/cluster.hpp"
#include "sim/test_cluster.hpp"

namespace davit::sim {

// What containers do, by name; init containers end well, all others run, answer and heed.
class ScriptedRuntime final : public ContainerRuntime {
 public:
  std::set<std::string, std::less<>> silent;  // no probe is answered
  std::set<std::string, std::less<>> deaf;    // SIGTERM is not heeded
  std::map<std::string, int, std::less<>> exits;
  std::vector<std::string> started;  // names, in order

  void start(const ContainerRef& container) override { started.emplace_back(container.name); }
  ContainerLook look(const ContainerRef& container) override {
    const auto exit = exits.find(container.name);
    if (exit != exits.end()) return {.exit_code = exit->second, .message = "", .again = {}};
    if (container.name.starts_with("init")) return {.exit_code = 0, .message = "", .again = {}};
    return {};
  }
  bool probe(const ContainerRef& container, const json::object& /*probe*/) override {
    return !silent.contains(container.name);
  }
  bool terminate(const ContainerRef& container) override { return !deaf.contains(container.name); }
  void kill(const ContainerRef& /*container*/) override {}
};

struct ControllersBench : TestCluster {
  ScriptedRuntime runtime;
  Cluster cluster{loop, server};

  ControllersBench() {
    cluster.kubelet().set_runtime(runtime);
    cluster.add_node("worker-1");
    cluster.add_node("worker-2");
    cluster.add_storage_class("standard");
  }

  [[nodiscard]] const ResourceType& type(std::string_view plural) {
    for (const ResourceType& one : server.registry().types()) {
      if (one.plural == plural) return one;
    }
    throw std::invalid_argument(std::string(plural));
  }
  [[nodiscard]] ObjectKey key(const ResourceType& of, const std::string& name) {
    return {of.namespaced ? "default" : "", name};
  }
  json::object make(std::string_view plural, std::string_view text) {
    const auto made =
        server.operations().create(type(plural), "default", object_of(text), {.manager = "tester"});
    if (!made) throw std::runtime_error(made.error().message);
    return **made;
  }
  // Empty when there is none.
  [[nodiscard]] json::object get(std::string_view plural, const std::string& name) {
    const Object found = server.store().get(type(plural), key(type(plural), name));
    return found ? *found : json::object();
  }
  [[nodiscard]] bool exists(std::string_view plural, const std::string& name) {
    return !get(plural, name).empty();
  }
  [[nodiscard]] std::string text(std::string_view plural, const std::string& name,
                                 std::string_view path) {
    return std::string(wire::find_string(get(plural, name), path));
  }
  [[nodiscard]] std::int64_t number(std::string_view plural, const std::string& name,
                                    std::string_view path) {
    return wire::find_int(get(plural, name), path).value_or(0);
  }
  // "True/Reason"; "none" when there is no such condition.
  [[nodiscard]] std::string condition(std::string_view plural, const std::string& name,
                                      std::string_view type_of) {
    const json::object object = get(plural, name);
    const json::array* conditions = wire::find_array(object, "status.conditions");
    for (const json::value& value : conditions ? *conditions : json::array()) {
      const json::object& one = value.as_object();
      if (wire::find_string(one, "type") != type_of) continue;
      const std::string_view reason = wire::find_string(one, "reason");
      return std::string(wire::find_string(one, "status")) +
             (reason.empty() ? "" : "/" + std::string(reason));
    }
    return "none";
  }
  [[nodiscard]] Uid uid(std::string_view plural, const std::string& name) {
    return kube::uid_of(get(plural, name));
  }
  void patch(std::string_view plural, const std::string& name, std::string_view change,
             const std::string& subresource = {}) {
    const ResourceType& of = type(plural);
    const auto patched =
        server.operations().patch(of, key(of, name), PatchKind::kMerge, object_of(change),
                                  {.manager = "tester", .subresource = subresource});
    if (!patched) throw std::runtime_error(patched.error().message);
  }
  void remove(std::string_view plural, const std::string& name, DeleteOptions options = {}) {
    const ResourceType& of = type(plural);
    const auto removed = server.operations().remove(of, key(of, name), options);
    if (!removed) throw std::runtime_error(removed.error().message);
  }
  [[nodiscard]] std::vector<std::string> names(std::string_view plural) {
    std::vector<std::string> all;
    for (const auto& [at, object] : server.store().all(type(plural))) all.push_back(at.name);
    return all;
  }
  // "running", "waiting/Reason" or "terminated/Reason" of a pod's first container.
  [[nodiscard]] std::string state(const std::string& pod) {
    const json::object object = get("pods", pod);
    const json::array* statuses = wire::find_array(object, "status.containerStatuses");
    if (!statuses || statuses->empty()) return "none";
    const json::object& status = (*statuses)[0].as_object();
    if (wire::find_object(status, "state.running")) return "running";
    for (const char* word : {"waiting", "terminated"}) {
      const json::object* there = wire::find_object(status, std::string("state.") + word);
      if (there) return std::string(word) + "/" + std::string(wire::find_string(*there, "reason"));
    }
    return "none";
  }
  [[nodiscard]] std::int64_t restarts(const std::string& pod) {
    const json::object object = get("pods", pod);
    const json::array* statuses = wire::find_array(object, "status.containerStatuses");
    if (!statuses || statuses->empty()) return -1;
    return wire::find_int((*statuses)[0].as_object(), "restartCount").value_or(-1);
  }
};

// A pod template's spec with one container "main".
inline std::string pod_template(const std::string& app, const std::string& container_extra = "",
                                const std::string& spec_extra = "") {
  return R"({"metadata": {"labels": {"app": ")" + app + R"("}}, "spec": {)" + spec_extra +
         R"("containers": [{"name": "main", "image": "x:1")" + container_extra + "}]}}";
}

// A bare pod "p" with one container "main".
inline std::string bare_pod(const std::string& container_extra = "",
                            const std::string& spec_extra = "") {
  return R"({"metadata": {"name": "p", "labels": {"app": "p"}}, "spec": {)" + spec_extra +
         R"("containers": [{"name": "main", "image": "x:1")" + container_extra + "}]}}";
}

}  // namespace davit::sim
