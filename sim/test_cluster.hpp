// TestCluster: an ApiServer on virtual time with what a test needs to talk to it.
//
//   TestCluster cluster;
//   auto made = cluster.run(cluster.client.create(kube::kConfigMaps, config_map("a"), kTester));
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>

#include "io/scope.hpp"
#include "kube/client.hpp"
#include "sim/api_server.hpp"
#include "sim/virtual_loop.hpp"

namespace davit::sim {

inline const FieldManager kTester("tester");

// Parses; the test ends when the text is no object.
inline json::object object_of(std::string_view text) {
  auto parsed = wire::parse_json_object(text);
  if (!parsed) throw std::invalid_argument(parsed.error().describe());
  return std::move(*parsed);
}

inline json::object config_map(const std::string& name, const std::string& value = "x") {
  return {{"apiVersion", "v1"},
          {"kind", "ConfigMap"},
          {"metadata", json::object{{"name", name}, {"namespace", "default"}}},
          {"data", json::object{{"key", value}}}};
}

struct TestCluster {
  explicit TestCluster(std::uint64_t seed = 1) : random(seed), server(loop, random) {}

  VirtualLoop loop;
  SeededRandom random;
  ApiServer server;
  kube::Client client{server.as("tester"), loop};

  // Runs `task` to its end, letting at most `limit` of virtual time pass.
  template <typename T>
  T run(io::Task<T> task, Duration limit = std::chrono::minutes(5)) {
    std::optional<T> answer;
    io::Scope scope(loop);
    scope.spawn(store(std::move(task), answer));
    const Monotonic end = loop.now() + limit;
    while (!answer && loop.step(end)) {
    }
    if (!answer) throw std::runtime_error("the task did not end in time");
    return std::move(*answer);
  }
  void settle(Duration duration = std::chrono::seconds(1)) { loop.advance(duration); }

  json::object must(io::Task<Result<json::object>> task) {
    auto answer = run(std::move(task));
    if (!answer) throw std::runtime_error(answer.error().describe());
    return std::move(*answer);
  }

 private:
  template <typename T>
  static io::Task<void> store(io::Task<T> task, std::optional<T>& answer) {
    answer.emplace(co_await std::move(task));
  }
};

}  // namespace davit::sim
