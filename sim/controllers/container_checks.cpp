// What a container takes from ConfigMaps and Secrets must be there (pkg/kubelet/kubelet_pods.go,
// makeEnvironmentVariables).
#include <fmt/format.h>

#include "sim/controllers/objects.hpp"
#include "sim/controllers/pod_worker.hpp"

namespace davit::sim {

namespace {

struct Source {
  const char* kind;      // in "configmap "x" not found"
  const char* key_kind;  // in "couldn't find key k in ConfigMap ns/x"
  const char* env_from;
  const char* key_ref;
  const ResourceType& type;
};

std::string missing(const Hub& hub, const Source& source, const std::string& ns,
                    const json::object& reference) {
  const std::string name(wire::find_string(reference, "name"));
  const bool optional = wire::find_bool(reference, "optional", false);
  const Object there = hub.store.get(source.type, {ns, name});
  if (!there) return optional ? "" : fmt::format("{} \"{}\" not found", source.kind, name);
  const std::string key(wire::find_string(reference, "key"));
  if (key.empty() || optional) return "";
  for (const std::string_view group : {"data", "binaryData"}) {
    const json::object* data = wire::find_object(*there, group);
    if (data && data->contains(key)) return "";
  }
  return fmt::format("couldn't find key {} in {} {}/{}", key, source.key_kind, ns, name);
}

}  // namespace

std::string configuration_error(const Hub& hub, const std::string& ns,
                                const json::object& container) {
  const Source sources[] = {
      {"configmap", "ConfigMap", "configMapRef", "valueFrom.configMapKeyRef", hub.config_maps},
      {"secret", "Secret", "secretRef", "valueFrom.secretKeyRef", hub.secrets}};
  std::string error;
  for (const Source& source : sources) {
    const auto check = [&](const json::object& entry, const char* path) {
      const json::object* reference = wire::find_object(entry, path);
      if (reference && error.empty()) error = missing(hub, source, ns, *reference);
    };
    for_each_object(container, "envFrom",
                    [&](const json::object& entry) { check(entry, source.env_from); });
    for_each_object(container, "env",
                    [&](const json::object& entry) { check(entry, source.key_ref); });
  }
  return error;
}

std::string mount_error(const Hub& hub, const json::object& pod) {
  const std::string ns = kube::key_of(pod).ns;
  std::string error;
  for_each_object(pod, "spec.volumes", [&](const json::object& volume) {
    const json::object* map = wire::find_object(volume, "configMap");
    const json::object* secret = wire::find_object(volume, "secret");
    if (!error.empty() || (!map && !secret)) return;
    const json::object& source = map ? *map : *secret;
    if (wire::find_bool(source, "optional", false)) return;
    const std::string name(wire::find_string(source, map ? "name" : "secretName"));
    if (hub.store.get(map ? hub.config_maps : hub.secrets, {ns, name})) return;
    error = fmt::format("MountVolume.SetUp failed for volume \"{}\" : {} \"{}\" not found",
                        wire::find_string(volume, "name"), map ? "configmap" : "secret", name);
  });
  return error;
}

}  // namespace davit::sim
