// Store: the cached objects of one Resource, as last seen by its informer.
//
// Objects are projected (only the members Davit reads) and immutable: a handler keeps a shared_ptr,
// the store swaps in the next one. Indexed by key, by owner UID and by UID. One thread: that of the
// Loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kube/resource.hpp"

namespace davit::runtime {

using Object = std::shared_ptr<const json::object>;

class Store {
 public:
  // nullptr when absent.
  [[nodiscard]] Object get(const ObjectKey& key) const;
  [[nodiscard]] std::vector<Object> owned_by(const Uid& owner) const;
  [[nodiscard]] std::vector<Object> all() const;
  [[nodiscard]] std::size_t size() const { return objects_.size(); }
  // The version up to which this store is complete (of the last list, event or bookmark).
  [[nodiscard]] const ResourceVersion& version() const { return version_; }

  // For the informer. `put` and `erase` return what was there before.
  Object put(Object object);
  Object erase(const ObjectKey& key);
  void set_version(ResourceVersion version) { version_ = std::move(version); }
  // Replaces everything at once; returns the objects that were dropped.
  std::vector<Object> replace(std::vector<Object> objects, ResourceVersion version);

 private:
  void index(const json::object& object, bool add);

  std::unordered_map<ObjectKey, Object> objects_;
  std::unordered_map<Uid, std::unordered_set<ObjectKey>> by_owner_;
  ResourceVersion version_;
};

}  // namespace davit::runtime
