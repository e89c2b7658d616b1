#include "sim/object_store.hpp"

#include <ranges>

namespace davit::sim {

Object ObjectStore::get(const ResourceType& type, const ObjectKey& key) const {
  const Objects& objects = all(type);
  const auto found = objects.find(key);
  return found == objects.end() ? nullptr : found->second;
}

const ObjectStore::Objects& ObjectStore::all(const ResourceType& type) const {
  static const Objects none;
  const auto found = objects_.find(&type);
  return found == objects_.end() ? none : found->second;
}

std::optional<ObjectStore::Objects> ObjectStore::at(const ResourceType& type,
                                                    Version version) const {
  if (version < oldest_) return std::nullopt;
  Objects objects = all(type);
  for (const StoredEvent& event : std::views::reverse(history_)) {
    if (event.version <= version) break;
    if (event.type != &type) continue;
    if (event.before) {
      objects[event.key] = event.before;
    } else {
      objects.erase(event.key);
    }
  }
  return objects;
}

Object ObjectStore::put(const ResourceType& type, json::object object) {
  ++version_;
  wire::ensure_object(object, "metadata")["resourceVersion"] = std::to_string(version_);
  const ObjectKey key = kube::key_of(object);
  auto stored = std::make_shared<const json::object>(std::move(object));
  Object& slot = objects_[&type][key];
  const Object before = std::exchange(slot, stored);
  record({version_, &type, key, before, stored});
  return stored;
}

Object ObjectStore::erase(const ResourceType& type, const ObjectKey& key) {
  const auto objects = objects_.find(&type);
  if (objects == objects_.end()) return nullptr;
  const auto found = objects->second.find(key);
  if (found == objects->second.end()) return nullptr;
  const Object before = found->second;
  objects->second.erase(found);
  ++version_;
  json::object last = *before;
  wire::ensure_object(last, "metadata")["resourceVersion"] = std::to_string(version_);
  record({version_, &type, key, before, nullptr});
  return std::make_shared<const json::object>(std::move(last));
}

void ObjectStore::set_window(std::size_t events) {
  window_ = events;
  trim(window_);
}

void ObjectStore::record(StoredEvent event) {
  history_.push_back(event);
  trim(window_);
  for (const Listener& listener : listeners_) listener(event);
}

void ObjectStore::trim(std::size_t keep) {
  while (history_.size() > keep) {
    oldest_ = history_.front().version;
    history_.pop_front();
  }
}

}  // namespace davit::sim
