// The workload: a StatefulSet of one replica that Davit alone restarts.
//
// Q: Why no volumeClaimTemplates? A: They are immutable: growing a claim would need a recreation.
// Davit
//    creates the claims itself (volumes.cpp).
// Q: Why OnDelete? A: A restart needs a slot of the disruption budget; only Davit sees the whole
// group. Q: Why a startup probe of 24 hours? A: The server scans its disks before it answers; a
// kill loop during a
//    long scan never ends. Liveness afterwards takes 5 minutes of silence.
// Q: Why `davit-start … -- app`? A: The image's own entrypoint swallows SIGTERM and hides crashes
// behind
//    `sleep 30d` (blocknode.md §1.2); davit-start checks the volumes and execs the server.
#include <fmt/format.h>

#include <algorithm>

#include "operands/blocknode/build.hpp"
#include "operands/blocknode/child.hpp"
#include "operands/blocknode/digest.hpp"
#include "operands/blocknode/names.hpp"
#include "operands/blocknode/pod_volumes.hpp"
#include "operands/blocknode/ports.hpp"

namespace davit::blocknode {

namespace {

json::object http_probe(std::string_view path, std::string_view port, int period, int failures,
                        int timeout) {
  return {{"httpGet", json::object{{"path", path}, {"port", port}, {"scheme", "HTTP"}}},
          {"periodSeconds", period},
          {"failureThreshold", failures},
          {"successThreshold", 1},
          {"timeoutSeconds", timeout}};
}

json::object restricted() {
  return {{"allowPrivilegeEscalation", false},
          {"capabilities", json::object{{"drop", json::array{"ALL"}}}},
          {"readOnlyRootFilesystem", true}};
}

json::object resources(const ResourcesSpec& spec) {
  json::object out;
  if (!spec.requests.empty()) out["requests"] = to_json(spec.requests);
  if (!spec.limits.empty()) out["limits"] = to_json(spec.limits);
  return out;
}

json::object small_resources(std::string_view memory_limit) {
  return {{"requests", json::object{{"cpu", "10m"}, {"memory", "16Mi"}}},
          {"limits", json::object{{"memory", memory_limit}}}};
}

json::object container(std::string_view name, std::string_view image) {
  return {{"name", name},
          {"image", image},
          {"imagePullPolicy", "IfNotPresent"},
          {"securityContext", restricted()},
          {"terminationMessagePolicy", "FallbackToLogsOnError"}};
}

json::object copy_start(const BuildInput& in) {
  json::object init = container("copy-start", in.davit_image);
  init["command"] = json::array{"davit-start", "--install", kWrapperDir};
  init["resources"] = small_resources("32Mi");
  init["volumeMounts"] = json::array{mount("wrapper", kWrapperDir, false)};
  return init;
}

json::array volume_arguments(const BlockNodeSpec& spec) {
  json::array arguments;
  for (const MountedClaim& claim : mounted_claims(spec)) {
    arguments.push_back("--volume");
    arguments.push_back(json::string(fmt::format("{}={}", claim.layout->suffix, claim.path)));
  }
  return arguments;
}

json::array server_command(const BuildInput& in) {
  const BlockNode& node = *in.node;
  json::array command{fmt::format("{}/davit-start", kWrapperDir), "--node", node.key.to_string(),
                      "--network", node.spec.network.name};
  for (json::value& argument : volume_arguments(node.spec)) command.push_back(std::move(argument));
  command.push_back("--");
  command.push_back(json::string(fmt::format("{}/app-{}/bin/app", kBaseDir, node.spec.version)));
  return command;
}

json::object server(const BuildInput& in) {
  const BlockNodeSpec& spec = in.node->spec;
  json::object server = container("server", in.server_image);
  if (spec.image && spec.image->pull_policy) server["imagePullPolicy"] = *spec.image->pull_policy;
  server["command"] = server_command(in);
  server["envFrom"] = json::array{
      json::object{{"configMapRef", json::object{{"name", configmap_name(in.node->key)}}}}};
  json::array ports;
  for (const Port& port : server_ports(spec)) {
    ports.push_back(
        json::object{{"name", port.name}, {"containerPort", port.number}, {"protocol", "TCP"}});
  }
  server["ports"] = std::move(ports);
  if (json::object needs = resources(spec.resources); !needs.empty()) {
    server["resources"] = std::move(needs);
  }
  server["startupProbe"] = http_probe("/healthz/livez", "health", 10, 8640, 5);
  server["livenessProbe"] = http_probe("/healthz/livez", "health", 30, 10, 5);
  server["readinessProbe"] = http_probe("/healthz/readyz", "health", 5, 3, 3);
  json::array mounts = claim_mounts(spec);
  mounts.push_back(mount("wrapper", kWrapperDir, true));
  mounts.push_back(mount("run", kRunDir, false));
  mounts.push_back(mount("tmp", "/tmp", false));
  mounts.push_back(mount("files", "/etc/davit", true));
  server["volumeMounts"] = std::move(mounts);
  return server;
}

json::object agent(const BuildInput& in) {
  const BlockNodeSpec& spec = in.node->spec;
  json::object agent = container("agent", in.davit_image);
  json::array arguments{"agent", "watch", "--port", std::to_string(kAgentPort)};
  for (json::value& argument : volume_arguments(spec)) arguments.push_back(std::move(argument));
  for (const Port& port : server_ports(spec)) {
    arguments.push_back("--speaks");
    arguments.push_back(json::string(fmt::format("{}={}", port.name, port.number)));
  }
  arguments.push_back("--start-report");
  arguments.push_back(json::string(kStartReport));
  agent["args"] = std::move(arguments);
  agent["ports"] = json::array{
      json::object{{"name", "agent"}, {"containerPort", kAgentPort}, {"protocol", "TCP"}}};
  agent["resources"] = small_resources("64Mi");
  agent["readinessProbe"] = http_probe("/readyz", "agent", 5, 3, 3);
  agent["livenessProbe"] = http_probe("/healthz", "agent", 30, 10, 5);
  json::array mounts = claim_mounts(spec);
  mounts.push_back(mount("run", kRunDir, true));
  agent["volumeMounts"] = std::move(mounts);
  return agent;
}

json::object pod_spec(const BuildInput& in) {
  const BlockNode& node = *in.node;
  json::array volumes = claim_volumes(node);
  volumes.push_back(empty_dir("wrapper", "16Mi"));
  volumes.push_back(empty_dir("run", "1Mi"));
  volumes.push_back(empty_dir("tmp", "256Mi"));
  volumes.push_back(
      json::object{{"name", "files"}, {"configMap", json::object{{"name", files_name(node.key)}}}});
  json::object spec{{"serviceAccountName", serviceaccount_name(node.key)},
                    {"automountServiceAccountToken", false},
                    {"enableServiceLinks", false},
                    {"terminationGracePeriodSeconds", 60},
                    {"securityContext",
                     json::object{{"runAsNonRoot", true},
                                  {"runAsUser", kUser},
                                  {"runAsGroup", kUser},
                                  {"fsGroup", kUser},
                                  {"fsGroupChangePolicy", "OnRootMismatch"},
                                  {"seccompProfile", json::object{{"type", "RuntimeDefault"}}}}},
                    {"initContainers", json::array{copy_start(in)}},
                    {"containers", json::array{server(in), agent(in)}},
                    {"volumes", std::move(volumes)}};
  if (node.spec.image && !node.spec.image->pull_secrets.empty()) {
    json::array secrets;
    for (const std::string& name : node.spec.image->pull_secrets) {
      secrets.push_back(json::object{{"name", name}});
    }
    spec["imagePullSecrets"] = std::move(secrets);
  }
  return spec;
}

// The form of compatibility version 0.0.1.
json::object pod_template(const BuildInput& in) {
  const BlockNode& node = *in.node;
  auto labels = child_labels(node.key);
  labels[std::string(kGroupLabel)] = disruption_group(node.spec);
  json::object metadata{{"labels", to_json(labels)},
                        {"annotations", json::object{{kConfigAnnotation, config_digest(in)},
                                                     {kVersionAnnotation, node.spec.version},
                                                     {kCompatibilityAnnotation, in.form},
                                                     {kDavitImageAnnotation, in.davit_image}}}};
  json::object pod{{"metadata", std::move(metadata)}, {"spec", pod_spec(in)}};
  const std::string name = digest(wire::canonical(pod));
  pod["metadata"].as_object()["annotations"].as_object()[kTemplateAnnotation] = name;
  return pod;
}

}  // namespace

bool is_known_form(std::string_view form) {
  return std::ranges::find(kForms, form) != kForms.end();
}

std::string server_image(const BlockNodeSpec& spec, std::string_view default_repository) {
  std::string repository(default_repository);
  if (!spec.image) return fmt::format("{}:{}", repository, spec.version);
  if (spec.image->repository) repository = *spec.image->repository;
  if (spec.image->digest) return fmt::format("{}@{}", repository, *spec.image->digest);
  return fmt::format("{}:{}", repository, spec.image->tag.value_or(spec.version));
}

json::object build_statefulset(const BuildInput& in) {
  const BlockNode& node = *in.node;
  json::object set = child(node, kube::kStatefulSets, statefulset_name(node.key));
  set["metadata"].as_object()["annotations"] =
      json::object{{kCompatibilityAnnotation, in.form}, {kDavitImageAnnotation, in.davit_image}};
  set["spec"] =
      json::object{{"replicas", 1},
                   {"serviceName", headless_name(node.key)},
                   {"podManagementPolicy", "Parallel"},
                   {"updateStrategy", json::object{{"type", "OnDelete"}}},
                   {"selector", json::object{{"matchLabels", to_json(pod_selector(node.key))}}},
                   {"template", pod_template(in)}};
  return set;
}

}  // namespace davit::blocknode
