#include "operands/blocknode/scenario_world.hpp"

namespace davit::blocknode::testing {

std::string outcome(World& world) {
  std::string out;
  for (const kube::Resource& resource :
       {kube::kStatefulSets, kube::kServices, kube::kConfigMaps, kube::kServiceAccounts,
        kube::kPersistentVolumeClaims, kube::kPodDisruptionBudgets}) {
    for (const auto& [key, object] :
         world.server.store().all(*world.server.registry().find(resource))) {
      out += fmt::format("{} {}\n", resource.kind, key.to_string());
      json::object spec;
      for (const char* member : {"spec", "data"}) {
        if (const json::value* value = object->if_contains(member)) spec[member] = *value;
      }
      if (spec.contains("spec")) spec["spec"].as_object().erase("volumeName");
      out += wire::canonical(spec) + "\n";
    }
  }
  for (const char* type : {"Ready", "ConfigurationApplied", "StorageHealthy", "DataProtected"}) {
    out += fmt::format("{} {}\n", type, world.word("bn1", type));
  }
  return out;
}

void World::make_volume(const json::object& claim, const std::string& name) {
  const ObjectKey key = kube::key_of(claim);
  json::object object{
      {"apiVersion", "v1"},
      {"kind", "PersistentVolume"},
      {"metadata", json::object{{"name", name}}},
      {"spec", json::object{{"persistentVolumeReclaimPolicy", "Delete"},
                            {"capacity", *wire::find(claim, "spec.resources.requests")},
                            {"claimRef", json::object{{"namespace", key.ns},
                                                      {"name", key.name},
                                                      {"uid", kube::uid_of(claim).value}}}}}};
  (void)server.operations().create(type(kube::kPersistentVolumes), {}, std::move(object), {});
}

// Volumes whose claim is gone are released or deleted.
void World::release_volumes() {
  for (const json::object& volume : all(kube::kPersistentVolumes)) {
    const std::string_view uid = wire::find_string(volume, "spec.claimRef.uid");
    const ObjectKey claim{std::string(wire::find_string(volume, "spec.claimRef.namespace")),
                          std::string(wire::find_string(volume, "spec.claimRef.name"))};
    const sim::Object live = server.find(kube::kPersistentVolumeClaims, claim);
    if (live != nullptr && kube::uid_of(*live).value == uid) continue;
    const ObjectKey key = kube::key_of(volume);
    if (wire::find_string(volume, "spec.persistentVolumeReclaimPolicy") != "Retain") {
      remove(kube::kPersistentVolumes, key);
      continue;
    }
    const std::string phase = uid.empty() ? "Available" : "Released";
    if (wire::find_string(volume, "status.phase") == phase) continue;
    edit(
        kube::kPersistentVolumes, key,
        [&](json::object& object) { wire::ensure_object(object, "status")["phase"] = phase; },
        "status");
  }
}

void World::bind_claims() {
  release_volumes();
  if (!binder_runs) return;
  for (const json::object& claim : all(kube::kPersistentVolumeClaims)) {
    const ObjectKey key = kube::key_of(claim);
    std::string volume(wire::find_string(claim, "spec.volumeName"));
    if (volume.empty()) {
      volume = fmt::format("pv-{}", ++volumes_);
      make_volume(claim, volume);
      edit(kube::kPersistentVolumeClaims, key, [&](json::object& object) {
        wire::ensure_object(object, "spec")["volumeName"] = volume;
      });
    } else if (wire::find_string(claim, "status.phase") != "Bound") {
      edit(kube::kPersistentVolumes, {{}, volume}, [&](json::object& object) {
        wire::ensure_object(object, "spec.claimRef")["uid"] = kube::uid_of(claim).value;
      });
    }
    const std::string size(wire::find_string(claim, "spec.resources.requests.storage"));
    if (wire::find_string(claim, "status.capacity.storage") == size) continue;
    edit(
        kube::kPersistentVolumeClaims, key,
        [&](json::object& object) {
          json::object& status = wire::ensure_object(object, "status");
          status["phase"] = "Bound";
          wire::ensure_object(status, "capacity")["storage"] = size;
        },
        "status");
  }
}

void World::run_sets() {
  for (const json::object& set : all(kube::kStatefulSets)) {
    const ObjectKey key = kube::key_of(set);
    const ObjectKey pod{key.ns, key.name + "-0"};
    const bool seen = wire::find_int(set, "status.observedGeneration") == kube::generation_of(set);
    if (!seen)
      edit(
          kube::kStatefulSets, key,
          [&](json::object& object) {
            wire::ensure_object(object, "status")["observedGeneration"] =
                kube::generation_of(object);
          },
          "status");
    if (server.find(kube::kPods, pod) != nullptr || kube::is_deleting(set)) continue;
    json::object object = *wire::find_object(set, "spec.template");
    object["apiVersion"] = "v1";
    object["kind"] = "Pod";
    json::object& metadata = wire::ensure_object(object, "metadata");
    metadata["name"] = pod.name;
    metadata["namespace"] = pod.ns;
    metadata["ownerReferences"] = json::array{json::object{{"apiVersion", "apps/v1"},
                                                           {"kind", "StatefulSet"},
                                                           {"name", key.name},
                                                           {"uid", kube::uid_of(set).value},
                                                           {"controller", true}}};
    (void)server.operations().create(type(kube::kPods), pod.ns, std::move(object), {});
  }
}

void World::run_pods() {
  if (!kubelet_runs) return;
  for (const json::object& pod : all(kube::kPods)) {
    const ObjectKey key = kube::key_of(pod);
    if (kube::is_deleting(pod)) {
      (void)server.operations().remove(type(kube::kPods), key, {.grace_seconds = 0});
      continue;
    }
    if (wire::find_string(pod, "status.phase") == "Running") continue;
    const json::object running = running_pod(
        json::object{{"metadata", json::object{{"name", key.name}, {"namespace", key.ns}}},
                     {"spec", json::object{{"template", pod}}}});
    edit(kube::kPods, key, [&](json::object& object) {
      wire::ensure_object(object, "spec")["nodeName"] = "worker-1";
    });
    edit(
        kube::kPods, key, [&](json::object& object) { object["status"] = running.at("status"); },
        "status");
  }
}

}  // namespace davit::blocknode::testing
