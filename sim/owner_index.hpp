// OwnerIndex: who depends on whom, and who is being deleted, so that the garbage collector never
// walks over the whole store.
//
//   OwnerIndex index;
//   store.on_event([&](const StoredEvent& event) { index.follow(event); });
//   for (const StoredRef& child : index.dependents_of(uid)) …
//
// References are in the order of their kind's name, then of their key. Pure; one thread.
#pragma once

#include <map>
#include <set>
#include <string>

#include "sim/object_store.hpp"

namespace davit::sim {

struct StoredRef {
  std::string kind;  // "statefulsets.apps"
  ObjectKey key;
  const ResourceType* type = nullptr;

  [[nodiscard]] bool operator<(const StoredRef& other) const {
    return std::tie(kind, key) < std::tie(other.kind, other.key);
  }
};

// The items of metadata.ownerReferences; empty when there are none.
[[nodiscard]] const json::array& owners_of(const json::object& object);

class OwnerIndex {
 public:
  using Refs = std::set<StoredRef>;

  void follow(const StoredEvent& event);

  [[nodiscard]] const Refs& dependents_of(const Uid& owner) const;
  [[nodiscard]] const Refs& deleting() const { return deleting_; }
  // Objects with owners that changed or whose owner went, until settled() is told of them.
  [[nodiscard]] const Refs& suspects() const { return suspects_; }
  void settled(const StoredRef& suspect) { suspects_.erase(suspect); }
  // One of the object's owners is there, in its namespace or in none.
  [[nodiscard]] bool is_held(const json::object& object) const;

 private:
  std::map<Uid, std::string> spaces_;  // of every object: its namespace
  std::map<Uid, Refs> dependents_;
  Refs deleting_, suspects_;
};

}  // namespace davit::sim
