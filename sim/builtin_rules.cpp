#include "sim/builtin_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <span>

#include "sim/api_error.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

void set_default(json::object& object, std::string_view name, json::value value) {
  const json::value* there = object.if_contains(name);
  if (!there || there->is_null()) object[name] = std::move(value);
}

json::array* list_in(json::object& object, std::string_view name) {
  json::value* list = object.if_contains(name);
  return list ? list->if_array() : nullptr;
}

json::array& ensure_list(json::object& object, std::string_view name) {
  json::value& list = object[name];
  return list.is_array() ? list.as_array() : list.emplace_array();
}

json::object* object_in(json::object& object, std::string_view name) {
  json::value* value = object.if_contains(name);
  return value ? value->if_object() : nullptr;
}

// Decoding a Quantity and encoding it again gives its canonical form.
void canonical_quantities(json::object& resources) {
  for (const std::string_view group : {"limits", "requests"}) {
    json::object* map = object_in(resources, group);
    if (!map) continue;
    for (auto& [name, amount] : *map) {
      if (const auto quantity = wire::Quantity::parse(amount)) amount = quantity->to_string();
    }
  }
  // Requests default to the limits.
  if (const json::object* found = object_in(resources, "limits")) {
    const json::object limits = *found;  // making "requests" may move what `found` points to
    json::object& requests = wire::ensure_object(resources, "requests");
    for (const auto& [name, amount] : limits) set_default(requests, name, amount);
  }
}

void default_probe(json::object& probe) {
  set_default(probe, "timeoutSeconds", 1);
  set_default(probe, "periodSeconds", 10);
  set_default(probe, "successThreshold", 1);
  set_default(probe, "failureThreshold", 3);
  if (json::object* http = object_in(probe, "httpGet")) {
    set_default(*http, "path", "/");
    set_default(*http, "scheme", "HTTP");
  }
  if (json::object* grpc = object_in(probe, "grpc")) set_default(*grpc, "service", "");
}

void default_container(json::object& container) {
  const std::string image(wire::find_string(container, "image"));
  const std::size_t colon = image.rfind(':');
  const bool latest = image.find('@') == std::string::npos &&
                      (colon == std::string::npos || image.substr(colon) == ":latest" ||
                       image.find('/', colon) != std::string::npos);
  set_default(container, "imagePullPolicy", latest ? "Always" : "IfNotPresent");
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  canonical_quantities(wire::ensure_object(container, "resources"));
  if (json::object* lifecycle = object_in(container, "lifecycle")) {
    for (const std::string_view event : {"postStart", "preStop"}) {
      json::object* action = object_in(*lifecycle, event);
      json::object* http = action ? object_in(*action, "httpGet") : nullptr;
      if (!http) continue;
      set_default(*http, "path", "/");
      set_default(*http, "scheme", "HTTP");
    }
  }
  if (json::array* ports = list_in(container, "ports")) {
    for (json::value& port : *ports) set_default(port.as_object(), "protocol", json::string("TCP"));
  }
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    if (json::object* there = object_in(container, probe)) default_probe(*there);
  }
  json::array* env = list_in(container, "env");
  for (std::size_t i = 0; env && i < env->size(); ++i) {
    json::object* from = object_in((*env)[i].as_object(), "valueFrom");
    json::object* field = from ? object_in(*from, "fieldRef") : nullptr;
    if (field) set_default(*field, "apiVersion", "v1");
  }
}

void default_volumes(json::object& spec) {
  json::array* volumes = list_in(spec, "volumes");
  for (std::size_t i = 0; volumes && i < volumes->size(); ++i) {
    json::object& volume = (*volumes)[i].as_object();
    for (const std::string_view source : {"configMap", "secret", "projected", "downwardAPI"}) {
      if (json::object* there = object_in(volume, source)) set_default(*there, "defaultMode", 420);
    }
    if (json::object* host = object_in(volume, "hostPath")) set_default(*host, "type", "");
    if (volume.size() == 1) volume["emptyDir"] = json::object{};
  }
}

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

void default_pod_spec(json::object& spec) {
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "schedulerName", "default-scheduler");
  set_default(spec, "securityContext", json::object{});
  const std::string account(wire::find_string(spec, "serviceAccountName"));
  if (!account.empty()) set_default(spec, "serviceAccount", json::string(account));
  for (const std::string_view list : {"initContainers", "containers"}) {
    json::array* containers = list_in(spec, list);
    for (std::size_t i = 0; containers && i < containers->size(); ++i) {
      default_container((*containers)[i].as_object());
    }
  }
  default_volumes(spec);
}

void default_workload(json::object& workload) {
  json::object& spec = wire::ensure_object(workload, "spec");
  json::object* pod_template = object_in(spec, "template");
  json::object* pod_spec = pod_template ? object_in(*pod_template, "spec") : nullptr;
  if (pod_spec) default_pod_spec(*pod_spec);
}

// Guaranteed when every container limits cpu and memory to what it requests, BestEffort when
// nobody asks for anything.
std::string quality_of(const json::object& spec) {
  bool any = false;
  bool all = true;
  const json::array* containers = wire::find_array(spec, "containers");
  for (const json::value& value : containers ? *containers : json::array()) {
    for (const std::string_view resource : {"cpu", "memory"}) {
      const json::object& container = value.as_object();
      const std::string name(resource);
      const json::value* request = wire::find(container, "resources.requests." + name);
      const json::value* limit = wire::find(container, "resources.limits." + name);
      any = any || request || limit;
      all = all && request && limit && *request == *limit;
    }
  }
  if (!any) return "BestEffort";
  return all ? "Guaranteed" : "Burstable";
}

// An address of the service range; the same name always gets the same one, so that nothing need be
// remembered. Two names may share one: nobody routes here.
json::string cluster_ip(const ObjectKey& key) {
  std::uint32_t hash = 2166136261U;
  for (const char c : key.to_string()) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return json::string(fmt::format("10.96.{}.{}", (hash >> 8) & 0xff, hash & 0xff));
}

std::int64_t node_port(const ObjectKey& key, std::int64_t number) {
  std::uint32_t hash = 2166136261U;
  for (const char c : key.to_string()) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return 30000 + static_cast<std::int64_t>((hash + static_cast<std::uint32_t>(number)) % 2768);
}

std::optional<ApiError> refused(const ResourceType& type, const json::object& object, Cause cause) {
  return invalid(type, kube::key_of(object).name, {std::move(cause)}).error();
}

json::object without(const json::object& spec, std::span<const std::string_view> names) {
  json::object rest = spec;
  for (const std::string_view name : names) rest.erase(name);
  return rest;
}

const json::object& spec_of(const json::object& object) {
  static const json::object none;
  const json::object* spec = wire::find_object(object, "spec");
  return spec ? *spec : none;
}

}  // namespace

void default_pod(json::object& pod) {
  json::object& spec = wire::ensure_object(pod, "spec");
  default_pod_spec(spec);
  set_default(spec, "enableServiceLinks", true);
}

// The strategy, then what admission adds (ServiceAccount, Priority, DefaultTolerationSeconds). The
// volume with the account's token is left out: nothing in the simulated cluster reads it.
void prepare_pod(json::object& pod, const json::object* before, const std::string& /*now*/) {
  if (before) return;
  json::object& spec = wire::ensure_object(pod, "spec");
  set_default(spec, "serviceAccountName", "default");
  set_default(spec, "serviceAccount", json::value(spec.at("serviceAccountName")));
  set_default(spec, "priority", 0);
  set_default(spec, "preemptionPolicy", "PreemptLowerPriority");
  json::array& tolerations = ensure_list(spec, "tolerations");
  for (const std::string_view key :
       {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    const bool tolerated = std::ranges::any_of(tolerations, [&](const json::value& value) {
      const std::string_view named = wire::find_string(value.as_object(), "key");
      const std::string_view effect = wire::find_string(value.as_object(), "effect");
      return (named == key || named.empty()) && (effect == "NoExecute" || effect.empty());
    });
    if (tolerated) continue;
    tolerations.push_back(json::object{
        {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}});
  }
  json::object& status = wire::ensure_object(pod, "status");
  set_default(status, "phase", "Pending");
  set_default(status, "qosClass", json::string(quality_of(spec)));
}

void default_daemon_set(json::object& set) {
  default_workload(set);
  json::object& spec = wire::ensure_object(set, "spec");
  set_default(spec, "revisionHistoryLimit", 10);
  json::object& strategy = wire::ensure_object(spec, "updateStrategy");
  set_default(strategy, "type", "RollingUpdate");
  if (wire::find_string(strategy, "type") == "RollingUpdate") {
    json::object& rolling = wire::ensure_object(strategy, "rollingUpdate");
    set_default(rolling, "maxUnavailable", 1);
    set_default(rolling, "maxSurge", 0);
  }
  set_default(wire::ensure_object(set, "metadata.annotations"), kTemplateGeneration, "0");
}

void prepare_daemon_set(json::object& set, const json::object* before, const std::string& /*now*/) {
  json::object& notes = wire::ensure_object(set, "metadata.annotations");
  const json::object* old = before ? wire::find_object(*before, "metadata.annotations") : nullptr;
  std::int64_t count = 1;
  if (old) {
    const std::string_view text = wire::find_string(*old, kTemplateGeneration);
    std::from_chars(text.data(), text.data() + text.size(), count);
    const json::value* was = wire::find(*before, "spec.template");
    const json::value* is = wire::find(set, "spec.template");
    if (was && is && *was != *is) ++count;
  }
  notes[kTemplateGeneration] = std::to_string(count);
}

void default_deployment(json::object& deployment) {
  default_workload(deployment);
  json::object& spec = wire::ensure_object(deployment, "spec");
  set_default(spec, "replicas", 1);
  set_default(spec, "revisionHistoryLimit", 10);
  set_default(spec, "progressDeadlineSeconds", 600);
  json::object& strategy = wire::ensure_object(spec, "strategy");
  set_default(strategy, "type", "RollingUpdate");
  if (wire::find_string(strategy, "type") == "RollingUpdate") {
    json::object& rolling = wire::ensure_object(strategy, "rollingUpdate");
    set_default(rolling, "maxUnavailable", "25%");
    set_default(rolling, "maxSurge", "25%");
  }
}

void default_replica_set(json::object& set) {
  default_workload(set);
  set_default(wire::ensure_object(set, "spec"), "replicas", 1);
}

void default_job(json::object& job) {
  default_workload(job);
  json::object& spec = wire::ensure_object(job, "spec");
  if (!spec.contains("completions") && !spec.contains("parallelism")) {
    spec["completions"] = 1;
    spec["parallelism"] = 1;
  }
  set_default(spec, "parallelism", 1);
  set_default(spec, "backoffLimit", 6);
  set_default(spec, "completionMode", "NonIndexed");
  set_default(spec, "suspend", false);
  set_default(spec, "manualSelector", false);
  set_default(spec, "podReplacementPolicy", "TerminatingOrFailed");
}

void prepare_job(json::object& job, const json::object* before, const std::string& /*now*/) {
  json::object& spec = wire::ensure_object(job, "spec");
  if (!before && !wire::find_bool(spec, "manualSelector", false)) {
    const std::string uid = kube::uid_of(job).value;
    const std::string name = kube::key_of(job).name;
    json::object& labels = wire::ensure_object(spec, "template.metadata.labels");
    for (const std::string_view prefix : {"", "batch.kubernetes.io/"}) {
      labels[std::string(prefix) + "controller-uid"] = uid;
      labels[std::string(prefix) + "job-name"] = name;
    }
    wire::ensure_object(spec, "selector.matchLabels")["batch.kubernetes.io/controller-uid"] = uid;
  }
  const json::object* labels = wire::find_object(job, "metadata.labels");
  const json::object* inner = wire::find_object(job, "spec.template.metadata.labels");
  if ((!labels || labels->empty()) && inner) {
    const json::object copy = *inner;
    wire::ensure_object(job, "metadata")["labels"] = copy;
  }
}

void default_stateful_set(json::object& set) {
  default_workload(set);
  json::object& spec = wire::ensure_object(set, "spec");
  set_default(spec, "replicas", 1);
  set_default(spec, "podManagementPolicy", "OrderedReady");
  set_default(spec, "revisionHistoryLimit", 10);
  json::object& strategy = wire::ensure_object(spec, "updateStrategy");
  set_default(strategy, "type", "RollingUpdate");
  if (wire::find_string(strategy, "type") == "RollingUpdate") {
    set_default(wire::ensure_object(strategy, "rollingUpdate"), "partition", 0);
  }
  json::object& retention = wire::ensure_object(spec, "persistentVolumeClaimRetentionPolicy");
  set_default(retention, "whenDeleted", "Retain");
  set_default(retention, "whenScaled", "Retain");
}

void default_service(json::object& service) {
  json::object& spec = wire::ensure_object(service, "spec");
  set_default(spec, "type", "ClusterIP");
  set_default(spec, "sessionAffinity", "None");
  if (wire::find_string(spec, "sessionAffinity") == "ClientIP") {
    set_default(wire::ensure_object(spec, "sessionAffinityConfig.clientIP"), "timeoutSeconds",
                10800);
  } else {
    spec.erase("sessionAffinityConfig");
  }
  const std::string type(wire::find_string(spec, "type"));
  if (type != "ExternalName") set_default(spec, "internalTrafficPolicy", "Cluster");
  if (type == "NodePort" || type == "LoadBalancer") {
    set_default(spec, "externalTrafficPolicy", "Cluster");
  }
  if (type == "LoadBalancer") set_default(spec, "allocateLoadBalancerNodePorts", true);
  if (json::array* ports = list_in(spec, "ports")) {
    for (json::value& value : *ports) {
      json::object& port = value.as_object();
      set_default(port, "protocol", "TCP");
      if (const json::value* number = port.if_contains("port")) {
        set_default(port, "targetPort", *number);
      }
    }
  }
}

// Addresses and node ports; what belongs to the old type of the service goes.
void prepare_service(json::object& service, const json::object* before,
                     const std::string& /*now*/) {
  json::object& spec = wire::ensure_object(service, "spec");
  const std::string type(wire::find_string(spec, "type"));
  const json::object* old = before ? wire::find_object(*before, "spec") : nullptr;
  const auto keep = [&](std::string_view name) {
    const json::value* value = old ? old->if_contains(name) : nullptr;
    if (value) set_default(spec, name, *value);
  };
  if (type == "ExternalName") {
    for (const std::string_view name :
         {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
      spec.erase(name);
    }
  } else {
    keep("clusterIP");
    keep("ipFamilies");
    keep("ipFamilyPolicy");
    set_default(spec, "clusterIP", cluster_ip(kube::key_of(service)));
    const json::value address = spec.at("clusterIP");
    spec["clusterIPs"] = json::array{address};
    const bool open = address == json::value("None") && !spec.contains("selector");
    set_default(spec, "ipFamilies", open ? json::array{"IPv4", "IPv6"} : json::array{"IPv4"});
    set_default(spec, "ipFamilyPolicy", open ? "RequireDualStack" : "SingleStack");
  }
  const bool balanced = type == "LoadBalancer";
  const bool outside = balanced || type == "NodePort";
  if (!outside) spec.erase("externalTrafficPolicy");
  if (!balanced) spec.erase("allocateLoadBalancerNodePorts");
  const bool local = wire::find_string(spec, "externalTrafficPolicy") == "Local";
  if (balanced && local) {
    keep("healthCheckNodePort");
    set_default(spec, "healthCheckNodePort", node_port(kube::key_of(service), 0));
  } else {
    spec.erase("healthCheckNodePort");
  }
  std::int64_t number = 0;
  json::array* ports = list_in(spec, "ports");
  for (std::size_t i = 0; ports && i < ports->size(); ++i) {
    json::object& port = (*ports)[i].as_object();
    ++number;
    if (outside) {
      set_default(port, "nodePort", node_port(kube::key_of(service), number));
    } else {
      port.erase("nodePort");
    }
  }
  set_default(wire::ensure_object(service, "status"), "loadBalancer", json::object{});
}

void default_secret(json::object& secret) { set_default(secret, "type", "Opaque"); }

void default_claim(json::object& claim) {
  json::object& spec = wire::ensure_object(claim, "spec");
  set_default(spec, "volumeMode", "Filesystem");
  if (json::object* resources = object_in(spec, "resources")) canonical_quantities(*resources);
}

void prepare_claim(json::object& claim, const json::object* before, const std::string& /*now*/) {
  if (!before) set_default(wire::ensure_object(claim, "status"), "phase", "Pending");
}

void default_volume(json::object& volume) {
  json::object& spec = wire::ensure_object(volume, "spec");
  set_default(spec, "volumeMode", "Filesystem");
  set_default(spec, "persistentVolumeReclaimPolicy", "Retain");
  if (json::object* host = object_in(spec, "hostPath")) set_default(*host, "type", "");
}

void prepare_volume(json::object& volume, const json::object* before, const std::string& now) {
  json::object& status = wire::ensure_object(volume, "status");
  if (!before) set_default(status, "phase", "Pending");
  const bool moved =
      !before || wire::find_string(*before, "status.phase") != wire::find_string(status, "phase");
  if (moved) status["lastPhaseTransitionTime"] = now;
}

void default_namespace(json::object& ns) {
  const std::string name = kube::key_of(ns).name;
  wire::ensure_object(ns, "metadata.labels")["kubernetes.io/metadata.name"] = name;
}

void prepare_namespace(json::object& ns, const json::object* before, const std::string& /*now*/) {
  json::object& spec = wire::ensure_object(ns, "spec");
  if (!before) {
    set_default(spec, "finalizers", json::array{"kubernetes"});
    set_default(wire::ensure_object(ns, "status"), "phase", "Active");
  } else if (const json::value* old = wire::find(*before, "spec.finalizers")) {
    spec["finalizers"] = *old;  // for the finalize subresource only
  }
}

// TaintNodesByCondition: nobody knows yet whether it is ready.
void prepare_node(json::object& node, const json::object* before, const std::string& /*now*/) {
  if (before) return;
  json::array& taints = ensure_list(wire::ensure_object(node, "spec"), "taints");
  const json::value taint(
      json::object{{"key", "node.kubernetes.io/not-ready"}, {"effect", "NoSchedule"}});
  if (std::ranges::find(taints, taint) == taints.end()) taints.push_back(taint);
}

void default_storage_class(json::object& storage_class) {
  set_default(storage_class, "reclaimPolicy", "Delete");
  set_default(storage_class, "volumeBindingMode", "Immediate");
}

std::optional<ApiError> validate_stateful_set(const ResourceType& type, const json::object& object,
                                              const json::object* before) {
  if (!before) return std::nullopt;
  static constexpr auto kMutable = std::to_array<std::string_view>(
      {"replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit",
       "persistentVolumeClaimRetentionPolicy", "minReadySeconds"});
  if (without(spec_of(object), kMutable) == without(spec_of(*before), kMutable)) {
    return std::nullopt;
  }
  return refused(type, object,
                 {"FieldValueForbidden",
                  "Forbidden: updates to statefulset spec for fields other than 'replicas', "
                  "'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', "
                  "'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
                  "spec"});
}

std::optional<ApiError> validate_claim(const ResourceType& type, const json::object& object,
                                       const json::object* before) {
  if (!before) {
    if (wire::find(object, "spec.resources.requests.storage")) return std::nullopt;
    return refused(type, object,
                   {"FieldValueRequired", "Required value", "spec.resources[storage]"});
  }
  // The binder may fill in what was left open.
  static constexpr auto kMutable = std::to_array<std::string_view>(
      {"resources", "volumeName", "storageClassName", "volumeAttributesClassName"});
  const bool rebound =
      !wire::find_string(*before, "spec.volumeName").empty() &&
      wire::find_string(*before, "spec.volumeName") != wire::find_string(object, "spec.volumeName");
  const bool bound = wire::find_string(*before, "status.phase") == "Bound";
  const bool reclassed = bound && wire::find_string(*before, "spec.storageClassName") !=
                                      wire::find_string(object, "spec.storageClassName");
  if (rebound || reclassed ||
      without(spec_of(object), kMutable) != without(spec_of(*before), kMutable)) {
    return refused(type, object,
                   {"FieldValueForbidden",
                    "Forbidden: spec is immutable after creation except resources.requests and "
                    "volumeAttributesClassName for bound claims",
                    "spec"});
  }
  const json::value* now = wire::find(object, "spec.resources.requests.storage");
  const json::value* capacity = wire::find(*before, "spec.resources.requests.storage");
  const auto wanted = now ? wire::Quantity::parse(*now) : fail(Code::kInvalid, "absent");
  const auto had = capacity ? wire::Quantity::parse(*capacity) : fail(Code::kInvalid, "absent");
  if (wanted && had && *wanted < *had) {
    return refused(type, object,
                   {"FieldValueForbidden", "Forbidden: field can not be less than previous value",
                    "spec.resources.requests.storage"});
  }
  return std::nullopt;
}

std::optional<ApiError> validate_service(const ResourceType& type, const json::object& object,
                                         const json::object* before) {
  const std::string_view ip = wire::find_string(object, "spec.clusterIP");
  const std::string_view old = before ? wire::find_string(*before, "spec.clusterIP") : ip;
  if (!old.empty() && ip != old) {
    return refused(type, object,
                   {"FieldValueInvalid",
                    "Invalid value: [\"" + std::string(ip) + "\"]: may not change once set",
                    "spec.clusterIPs[0]"});
  }
  const json::array* ports = wire::find_array(object, "spec.ports");
  if ((!ports || ports->empty()) && ip != "None" &&
      wire::find_string(object, "spec.type") != "ExternalName") {
    return refused(type, object, {"FieldValueRequired", "Required value", "spec.ports"});
  }
  return std::nullopt;
}

}  // namespace davit::sim
