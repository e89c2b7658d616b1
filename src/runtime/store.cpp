#include "runtime/store.hpp"

#include <utility>

namespace davit::runtime {

Object Store::get(const ObjectKey& key) const {
  const auto found = objects_.find(key);
  return found == objects_.end() ? nullptr : found->second;
}

std::vector<Object> Store::owned_by(const Uid& owner) const {
  std::vector<Object> owned;
  const auto keys = by_owner_.find(owner);
  if (keys == by_owner_.end()) return owned;
  owned.reserve(keys->second.size());
  for (const ObjectKey& key : keys->second) owned.push_back(objects_.at(key));
  return owned;
}

std::vector<Object> Store::all() const {
  std::vector<Object> objects;
  objects.reserve(objects_.size());
  for (const auto& [key, object] : objects_) objects.push_back(object);
  return objects;
}

Object Store::put(Object object) {
  const ObjectKey key = kube::key_of(*object);
  Object& slot = objects_[key];
  if (slot) index(*slot, false);
  index(*object, true);
  return std::exchange(slot, std::move(object));
}

Object Store::erase(const ObjectKey& key) {
  const auto found = objects_.find(key);
  if (found == objects_.end()) return nullptr;
  Object gone = std::move(found->second);
  objects_.erase(found);
  index(*gone, false);
  return gone;
}

std::vector<Object> Store::replace(std::vector<Object> objects, ResourceVersion version) {
  std::unordered_map<ObjectKey, Object> old = std::exchange(objects_, {});
  by_owner_.clear();
  for (Object& object : objects) {
    old.erase(kube::key_of(*object));
    put(std::move(object));
  }
  version_ = std::move(version);
  std::vector<Object> dropped;
  dropped.reserve(old.size());
  for (auto& [key, object] : old) dropped.push_back(std::move(object));
  return dropped;
}

void Store::index(const json::object& object, bool add) {
  const Uid owner = kube::controller_of(object);
  if (owner.empty()) return;
  if (add) {
    by_owner_[owner].insert(kube::key_of(object));
    return;
  }
  const auto keys = by_owner_.find(owner);
  if (keys == by_owner_.end()) return;
  keys->second.erase(kube::key_of(object));
  if (keys->second.empty()) by_owner_.erase(keys);
}

}  // namespace davit::runtime
