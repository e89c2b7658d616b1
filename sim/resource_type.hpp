// ResourceType: one kind the simulated API server serves; Registry: all of them.
//
// Built-in kinds come with the Registry; custom ones are registered from their CRD. Types live as
// long as the Registry, their addresses are stable: a pointer names the type. One thread.
#pragma once

#include <deque>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "kube/resource.hpp"
#include "wire/json.hpp"

namespace davit::sim {

struct ApiError;
struct ResourceType;

// Fills in what the server defaults, in place. Called for each object on its way in.
using DefaultsHook = void (*)(json::object& object);
// Refuses what the server would; `before` is null at creation.
using ValidateHook = std::optional<ApiError> (*)(const ResourceType& type,
                                                 const json::object& object,
                                                 const json::object* before);

struct ResourceType {
  std::string group, version, kind, plural;
  bool namespaced = true;
  bool has_status = false;      // a status subresource, and resets on the main one
  bool has_generation = false;  // metadata.generation counts changes of the specification
  bool custom = false;          // declared by a CRD
  bool graceful = false;        // deletion waits for a grace period (pods on a node)
  json::object schema;          // openAPIV3Schema of a custom type
  DefaultsHook defaults = nullptr;
  ValidateHook validate = nullptr;

  [[nodiscard]] std::string api_version() const {
    return group.empty() ? version : group + "/" + version;
  }
  [[nodiscard]] std::string qualified() const {
    return group.empty() ? plural : plural + "." + group;
  }
};

class Registry {
 public:
  Registry();  // with the built-in kinds
  Registry(const Registry&) = delete;
  Registry& operator=(const Registry&) = delete;

  // nullptr when not served.
  [[nodiscard]] const ResourceType* find(std::string_view group, std::string_view version,
                                         std::string_view plural) const;
  [[nodiscard]] const ResourceType* find(const kube::Resource& resource) const;
  // By kind in any version of the group: what owner references name.
  [[nodiscard]] const ResourceType* find_kind(std::string_view api_version,
                                              std::string_view kind) const;
  const ResourceType& add(ResourceType type);
  // Registers (or updates) the served versions of a CRD; an Invalid error's text, or empty.
  std::string add_crd(const json::object& crd);
  void remove_crd(const json::object& crd);

  [[nodiscard]] const std::deque<ResourceType>& types() const { return types_; }

 private:
  std::deque<ResourceType> types_;
};

}  // namespace davit::sim
