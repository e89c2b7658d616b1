#include "sim/controllers/hub.hpp"

#include "sim/controllers/objects.hpp"

namespace davit::sim {

namespace {

template <typename Map>
void move_key(Map& map, const typename Map::key_type* from, const typename Map::key_type* to,
              const ObjectKey& key) {
  if (from && to && *from == *to) return;
  if (from) {
    const auto found = map.find(*from);
    if (found != map.end()) {
      found->second.erase(key);
      if (found->second.empty()) map.erase(found);
    }
  }
  if (to) map[*to].insert(key);
}

template <typename Value, typename Read>
void follow(auto& map, const ObjectKey& key, const json::object* before, const json::object* after,
            Read read) {
  const Value from = before ? read(*before) : Value();
  const Value to = after ? read(*after) : Value();
  move_key(map, before ? &from : nullptr, after ? &to : nullptr, key);
}

}  // namespace

void PodIndex::update(const ObjectKey& key, const json::object* before, const json::object* after) {
  follow<Uid>(controllers_, key, before, after,
              [](const json::object& pod) { return kube::controller_of(pod); });
  follow<std::string>(nodes_, key, before, after, [](const json::object& pod) {
    return std::string(wire::find_string(pod, "spec.nodeName"));
  });
  if (before && after) return;  // what follows never changes in a pod's life
  follow<std::string>(spaces_, key, before, after, [&](const json::object&) { return key.ns; });
  for_each_claim(after ? *after : *before, [&](std::string_view name) {
    const ObjectKey claim{key.ns, std::string(name)};
    move_key(claims_, before ? &claim : nullptr, after ? &claim : nullptr, key);
  });
}

Hub::Hub(io::Loop& the_loop, Operations& the_operations)
    : loop(the_loop),
      operations(the_operations),
      store(operations.store()),
      pods(*operations.registry().find(kube::kPods)),
      nodes(*operations.registry().find(kube::kNodes)),
      claims(*operations.registry().find(kube::kPersistentVolumeClaims)),
      volumes(*operations.registry().find(kube::kPersistentVolumes)),
      classes(*operations.registry().find(kube::kStorageClasses)),
      budgets(*operations.registry().find(kube::kPodDisruptionBudgets)),
      stateful_sets(*operations.registry().find(kube::kStatefulSets)),
      daemon_sets(*operations.registry().find(kube::kDaemonSets)),
      deployments(*operations.registry().find(kube::kDeployments)),
      replica_sets(*operations.registry().find("apps", "v1", "replicasets")),
      jobs(*operations.registry().find(kube::kJobs)),
      config_maps(*operations.registry().find(kube::kConfigMaps)),
      secrets(*operations.registry().find(kube::kSecrets)) {
  for (const auto& [key, object] : store.all(pods)) pod_index.update(key, nullptr, object.get());
  store.on_event([this](const StoredEvent& event) {
    if (event.type == &pods) pod_index.update(event.key, event.before.get(), event.after.get());
  });
}

Object Hub::write(const ResourceType& type, const Object& live, const char* subresource,
                  const char* manager, const std::function<void(json::object&)>& change) const {
  json::object object = *live;
  change(object);
  WriteOptions options;
  options.manager = manager;
  options.subresource = subresource;
  auto written = operations.replace(type, kube::key_of(*live), std::move(object), options);
  return written ? *written : nullptr;
}

Object Hub::create(const ResourceType& type, const std::string& ns, json::object object,
                   const char* manager) const {
  auto made = operations.create(type, ns, std::move(object), {.manager = manager});
  return made ? *made : nullptr;
}

bool Hub::remove(const ResourceType& type, const json::object& object,
                 DeleteOptions options) const {
  options.uid = kube::uid_of(object).value;
  return operations.remove(type, kube::key_of(object), options).has_value();
}

}  // namespace davit::sim
