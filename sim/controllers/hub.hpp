// Hub: what the simulated controllers share: the loop, the verbs, the types they deal in, and an
// index of pods, so that no controller walks over all objects to find its own.
//
// The index follows the store's events and is up to date before any controller is told. One thread.
#pragma once

#include <map>
#include <set>
#include <string>

#include "io/loop.hpp"
#include "sim/operations.hpp"

namespace davit::sim {

class PodIndex {
 public:
  using Keys = std::set<ObjectKey>;
  // `before` and `after` as in StoredEvent.
  void update(const ObjectKey& key, const json::object* before, const json::object* after);

  [[nodiscard]] const Keys& of_controller(const Uid& uid) const { return at(controllers_, uid); }
  [[nodiscard]] const Keys& of_claim(const ObjectKey& claim) const { return at(claims_, claim); }
  // Of the empty name: pods that no node has taken.
  [[nodiscard]] const Keys& of_node(const std::string& node) const { return at(nodes_, node); }
  [[nodiscard]] const Keys& of_namespace(const std::string& ns) const { return at(spaces_, ns); }

 private:
  template <typename Map>
  static const Keys& at(const Map& map, const typename Map::key_type& key) {
    static const Keys none;
    const auto found = map.find(key);
    return found == map.end() ? none : found->second;
  }
  std::map<Uid, Keys> controllers_;
  std::map<ObjectKey, Keys> claims_;
  std::map<std::string, Keys> nodes_;
  std::map<std::string, Keys> spaces_;
};

enum class MachineState {
  kUp,
  kCutOff,      // it runs on, and neither hears nor is heard
  kPoweredOff,  // what ran on it is gone
};

// What a node really is, whatever its object says.
struct Machine {
  MachineState state = MachineState::kUp;
  Monotonic silent_since;  // while not kUp
  bool low_memory = false, low_disk = false;
};

struct Hub {
  Hub(io::Loop& loop, Operations& operations);

  io::Loop& loop;
  Operations& operations;
  ObjectStore& store;
  const ResourceType& pods;
  const ResourceType& nodes;
  const ResourceType& claims;
  const ResourceType& volumes;
  const ResourceType& classes;
  const ResourceType& budgets;
  const ResourceType& stateful_sets;
  const ResourceType& daemon_sets;
  const ResourceType& deployments;
  const ResourceType& replica_sets;
  const ResourceType& jobs;
  const ResourceType& config_maps;
  const ResourceType& secrets;
  PodIndex pod_index;
  std::map<std::string, Machine> machines;  // by the name of the node

  [[nodiscard]] Object pod(const ObjectKey& key) const { return store.get(pods, key); }
  [[nodiscard]] std::string now_text() const { return format_time(operations.clock().wall()); }

  // Writes what `change` makes of `live` if that differs; `subresource` is "" or "status". The
  // object as stored then; null when the server refused.
  Object write(const ResourceType& type, const Object& live, const char* subresource,
               const char* manager, const std::function<void(json::object&)>& change) const;
  Object create(const ResourceType& type, const std::string& ns, json::object object,
                const char* manager = "kube-controller-manager") const;
  // With the object's uid as precondition.
  bool remove(const ResourceType& type, const json::object& object,
              DeleteOptions options = {}) const;
};

}  // namespace davit::sim
