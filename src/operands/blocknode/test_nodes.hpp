// Nodes, pods and snapshots for the tests of this module: a healthy starting point to break one
// thing of.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "operands/blocknode/build.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/plan.hpp"
#include "operands/blocknode/status.hpp"

namespace davit::blocknode::testing {

inline BlockNode sample_node(std::string name = "bn1") {
  BlockNode node;
  node.key = {"hiero", std::move(name)};
  node.uid = Uid("uid-" + node.key.name);
  node.generation = 1;
  node.spec.version = "0.40.1";
  node.spec.network.name = "solo";
  node.spec.resources.requests = {{"cpu", "1"}, {"memory", "2Gi"}};
  node.spec.resources.limits = {{"memory", "2Gi"}};
  node.spec.storage.live.size = "5Gi";
  node.spec.storage.historic.size = "10Gi";
  node.spec.storage.application_state.size = "1Gi";
  node.spec.storage.logs.size = "1Gi";
  node.spec.storage.plugins.size = "1Gi";
  return node;
}

inline BuildInput sample_input(const BlockNode& node) {
  return {.node = &node,
          .server_image = server_image(node.spec, "registry.example/block-node"),
          .davit_image = "registry.example/davit:0.0.1",
          .java_opts = "-Xmx1g",
          .form = std::string(kCurrentForm)};
}

inline Settings sample_settings() {
  Settings settings;
  settings.default_repository = "registry.example/block-node";
  settings.davit_image = "registry.example/davit:0.0.1";
  return settings;
}

inline runtime::Object shared(json::object object) {
  return std::make_shared<const json::object>(std::move(object));
}

// A claim as the cluster shows it once bound.
inline json::object bound_claim(const BlockNode& node, const VolumeLayout& layout) {
  json::object claim = build_claim(node, layout);
  claim["metadata"].as_object()["resourceVersion"] = "7";
  claim["metadata"].as_object()["uid"] = fmt::format("claim-{}", layout.suffix);
  json::object& spec = claim["spec"].as_object();
  spec["volumeName"] = fmt::format("pv-{}", layout.suffix);
  const json::string size =
      spec["resources"].as_object()["requests"].as_object()["storage"].as_string();
  claim["status"] = json::object{{"phase", "Bound"}, {"capacity", json::object{{"storage", size}}}};
  return claim;
}

// The pod of a StatefulSet, running and ready.
inline json::object running_pod(const json::object& set) {
  json::object pod = *wire::find_object(set, "spec.template");
  pod["apiVersion"] = "v1";
  pod["kind"] = "Pod";
  json::object& metadata = pod["metadata"].as_object();
  metadata["name"] = fmt::format("{}-0", kube::key_of(set).name);
  metadata["namespace"] = kube::key_of(set).ns;
  metadata["uid"] = "pod-1";
  metadata["resourceVersion"] = "9";
  pod["spec"].as_object()["nodeName"] = "worker-1";
  const auto running = [](std::string_view name) {
    return json::object{
        {"name", name},
        {"ready", true},
        {"started", true},
        {"restartCount", 0},
        {"state", json::object{{"running", json::object{{"startedAt", "2026-01-01T00:00:00Z"}}}}}};
  };
  pod["status"] = json::object{
      {"phase", "Running"},
      {"podIP", "10.0.0.7"},
      {"conditions", json::array{json::object{{"type", "Ready"}, {"status", "True"}},
                                 json::object{{"type", "PodScheduled"}, {"status", "True"}}}},
      {"containerStatuses", json::array{running("server"), running("agent")}}};
  return pod;
}

inline json::object* container_status(json::object& pod, std::string_view name) {
  for (json::value& value : pod["status"].as_object()["containerStatuses"].as_array()) {
    if (value.as_object()["name"].as_string() == name) return &value.as_object();
  }
  return nullptr;
}

inline Round good_round(std::string run = "pod-1/0") {
  Round round;
  round.run = std::move(run);
  round.health = HealthReply{200, "OK"};
  round.heights = ServerStatus{0, 99};
  AgentReport report;
  for (const VolumeLayout& layout : kVolumes) {
    report.volumes.push_back({.role = std::string(layout.suffix),
                              .total_bytes = 1000,
                              .available_bytes = 900,
                              .writable = true,
                              .error = {}});
  }
  round.agent = report;
  round.detail = ServerDetail{"0.40.1", {}};
  round.publishers = 1;
  round.block_problem = "";
  return round;
}

inline constexpr Monotonic kStart{std::chrono::hours(1)};

// Everything there, up to date, answering: serving for as long as the hold asks.
struct Healthy {
  Snapshot snapshot;
  Settings settings = sample_settings();
  Memory memory;

  explicit Healthy(BlockNode node = sample_node()) {
    for (const kube::Resource& resource :
         {kube::kStatefulSets, kube::kPods, kube::kPersistentVolumeClaims, kube::kServices,
          kube::kConfigMaps, kube::kServiceAccounts, kube::kPodDisruptionBudgets}) {
      snapshot.sights[std::string(resource.plural)].synced = true;
    }
    snapshot.node = std::move(node);
    snapshot.java_opts = "-Xmx1g";
    snapshot.now = kStart;
    snapshot.wall = ManualClock().wall();
    const BuildInput in = sample_input(snapshot.node);
    json::object set = build_statefulset(in);
    set["metadata"].as_object()["generation"] = 1;
    set["metadata"].as_object()["uid"] = "set-1";
    set["status"] = json::object{{"observedGeneration", 1}};
    snapshot.pod = shared(running_pod(set));
    snapshot.statefulset = shared(std::move(set));
    snapshot.client_service = shared(build_client_service(in));
    for (const VolumeLayout& layout : kVolumes) put_claim(bound_claim(snapshot.node, layout));
    snapshot.budget_members = {
        {snapshot.node.key, snapshot.node.uid, disruption_group(snapshot.node.spec), false}};
    fold(snapshot.observation, good_round(), kStart);
    memory.serving_since = kStart + (Duration{0} - settings.hold);
  }

  void put_claim(json::object claim) {
    const std::string name = kube::key_of(claim).name;
    snapshot.live_claims[name] = shared(std::move(claim));
    refresh_claims();
  }
  void refresh_claims() {
    snapshot.claims = look_at_claims(snapshot.node, [this](const std::string& name) {
      const auto found = snapshot.live_claims.find(name);
      return found == snapshot.live_claims.end() ? nullptr : found->second;
    });
    for (const Claim& claim : snapshot.claims) {
      if (!claim.volume.empty()) snapshot.reclaim_policies[claim.volume] = "Retain";
    }
  }
  // Changes the pod through `change(json::object&)`.
  template <typename F>
  void with_pod(F change) {
    json::object pod = *snapshot.pod;
    change(pod);
    snapshot.pod = shared(std::move(pod));
  }

  [[nodiscard]] Plan plan() const { return make_plan(snapshot, settings); }
  [[nodiscard]] StatusUpdate update() const {
    return make_status(snapshot, plan(), memory, settings);
  }
  // As if the API server had stored it, and time had passed.
  StatusUpdate store_and_advance(Duration time) {
    StatusUpdate done = update();
    if (done.write) snapshot.node.status = done.status;
    memory = done.memory;
    snapshot.now = snapshot.now + time;
    snapshot.wall += std::chrono::duration_cast<std::chrono::microseconds>(time);
    return done;
  }
};

inline const Condition& condition(const StatusUpdate& update, std::string_view type) {
  static const Condition kNone;
  for (const Condition& c : update.status.conditions) {
    if (c.type == type) return c;
  }
  return kNone;
}

inline std::vector<std::string> described(const Plan& plan) {
  std::vector<std::string> out(plan.actions.size());
  std::ranges::transform(plan.actions, out.begin(),
                         [](const Action& action) { return describe(action); });
  return out;
}

}  // namespace davit::blocknode::testing
