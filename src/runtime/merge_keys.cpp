#include "runtime/merge_keys.hpp"

#include <algorithm>
#include <array>

namespace davit::runtime {

namespace {

struct Row {
  std::string_view kind;    // empty: any
  std::string_view parent;  // empty: any
  std::string_view name;
  std::array<std::string_view, 2> keys{};  // both empty: a set
};

constexpr auto kRows = std::to_array<Row>({
    {"", "metadata", "ownerReferences", {"uid"}},
    {"", "metadata", "finalizers"},
    {"", "status", "conditions", {"type"}},
    {"", "", "containers", {"name"}},
    {"", "", "initContainers", {"name"}},
    {"", "", "ephemeralContainers", {"name"}},
    {"", "containers", "ports", {"containerPort", "protocol"}},
    {"", "initContainers", "ports", {"containerPort", "protocol"}},
    {"Service", "spec", "ports", {"port", "protocol"}},
    {"", "", "env", {"name"}},
    {"", "", "volumeMounts", {"mountPath"}},
    {"", "", "volumeDevices", {"devicePath"}},
    {"", "spec", "volumes", {"name"}},
    {"", "", "imagePullSecrets", {"name"}},
    {"ServiceAccount", "", "secrets", {"name"}},
    {"", "spec", "hostAliases", {"ip"}},
    {"", "spec", "topologySpreadConstraints", {"topologyKey", "whenUnsatisfiable"}},
    {"", "spec", "schedulingGates", {"name"}},
    {"", "spec", "resourceClaims", {"name"}},
    {"", "resources", "claims", {"name"}},
    {"Pod", "status", "podIPs", {"ip"}},
    {"Node", "status", "addresses", {"type"}},
    {"Namespace", "spec", "finalizers"},
    {"ValidatingWebhookConfiguration", "", "webhooks", {"name"}},
    {"MutatingWebhookConfiguration", "", "webhooks", {"name"}},
});

struct AtomicMap {
  std::string_view kind, parent, name;
};

constexpr auto kAtomicMaps = std::to_array<AtomicMap>({
    {"", "spec", "selector"},
    {"", "", "labelSelector"},
    {"", "", "namespaceSelector"},
    {"", "spec", "nodeSelector"},
    {"", "", "configMapKeyRef"},
    {"", "", "secretKeyRef"},
    {"", "", "fieldRef"},
    {"", "", "resourceFieldRef"},
    {"", "", "secretRef"},
    {"", "", "configMapRef"},
    {"", "spec", "dataSource"},
    {"", "spec", "claimRef"},
    {"", "", "nodeSelectorTerms"},
});

constexpr auto kFreeMaps = std::to_array<std::string_view>(
    {"labels", "annotations", "data", "binaryData", "stringData", "limits", "requests", "capacity",
     "allocatable", "parameters", "volumeAttributes", "allocatedResources", "hard", "used"});

bool matches(std::string_view pattern, std::string_view value) {
  return pattern.empty() || pattern == value;
}

}  // namespace

ListRule list_rule(std::string_view kind, std::string_view parent, std::string_view name) {
  for (const Row& row : kRows) {
    if (row.name != name || !matches(row.kind, kind) || !matches(row.parent, parent)) continue;
    const auto count = static_cast<std::size_t>(
        std::ranges::count_if(row.keys, [](std::string_view key) { return !key.empty(); }));
    return {count == 0 ? ListType::kSet : ListType::kMap, std::span(row.keys).first(count)};
  }
  return {};
}

bool is_atomic_map(std::string_view kind, std::string_view parent, std::string_view name) {
  return std::ranges::any_of(kAtomicMaps, [&](const AtomicMap& row) {
    return row.name == name && matches(row.kind, kind) && matches(row.parent, parent);
  });
}

bool is_free_map(std::string_view name) {
  return (std::ranges::find(kFreeMaps, name) != std::ranges::end(kFreeMaps));
}

const json::value& merge_key_value(const json::object& item, std::string_view key) {
  static const json::value null;
  static const json::value tcp("TCP");
  const json::value* value = item.if_contains(key);
  if (value && !value->is_null()) return *value;
  return key == "protocol" ? tcp : null;
}

bool same_item(const json::object& a, const json::object& b,
               std::span<const std::string_view> keys) {
  return std::ranges::all_of(keys, [&](std::string_view key) {
    return merge_key_value(a, key) == merge_key_value(b, key);
  });
}

}  // namespace davit::runtime
