// What is served, with the names people type: the source of discovery and OpenAPI.
//
// From the registry of kinds, the stored CRDs, and what the gateway itself adds: core Events (a
// view of events.k8s.io), reviews, and scale. Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/resource_type.hpp"

namespace davit::sim {

class ApiServer;

struct ApiSubresource {
  std::string name;  // "status"
  std::string group, version, kind;
  std::vector<std::string> verbs;
};

struct ApiResource {
  std::string group, version, kind, plural, singular;
  bool namespaced = true;
  std::vector<std::string> verbs, short_names, categories;
  std::vector<ApiSubresource> subresources;
  const ResourceType* type = nullptr;    // null: the gateway's own
  const json::object* schema = nullptr;  // of a custom kind: its CRD's; borrowed from the store

  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
};

// By group and version, in the order of first mention; the core group first.
[[nodiscard]] std::vector<ApiResource> api_resources(const ApiServer& server);

// The stored CRD of a custom kind, or null.
[[nodiscard]] const json::object* crd_of(const ApiServer& server, const ResourceType& type);

// Kinds whose replicas can be scaled.
[[nodiscard]] bool is_scalable(const ResourceType& type);

}  // namespace davit::sim
