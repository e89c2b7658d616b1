// ObjectStore: what etcd and the watch cache are to the API server: objects, one version counter,
// and a window of history from which older snapshots and watches are served.
//
// Objects are immutable values; a write stores the next one. One thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/resource_type.hpp"

namespace davit::sim {

using Object = std::shared_ptr<const json::object>;
using Version = std::uint64_t;

struct StoredEvent {
  Version version = 0;
  const ResourceType* type = nullptr;
  ObjectKey key;
  Object before;  // null: created
  Object after;   // null: deleted
};

class ObjectStore {
 public:
  using Listener = std::function<void(const StoredEvent&)>;
  using Objects = std::map<ObjectKey, Object>;

  [[nodiscard]] Object get(const ResourceType& type, const ObjectKey& key) const;
  [[nodiscard]] const Objects& all(const ResourceType& type) const;
  // Everything, for collectors: type and objects.
  [[nodiscard]] const std::map<const ResourceType*, Objects>& everything() const {
    return objects_;
  }
  // The objects of `type` as they were at `version`; nullopt when that is before the window.
  [[nodiscard]] std::optional<Objects> at(const ResourceType& type, Version version) const;

  // Stores `object` (metadata.resourceVersion is set to the new version) and tells the listeners.
  Object put(const ResourceType& type, json::object object);
  // The object as deleted, with the version of the deletion; null when absent.
  Object erase(const ResourceType& type, const ObjectKey& key);

  [[nodiscard]] Version version() const { return version_; }
  // Events with a version greater than oldest() are there.
  [[nodiscard]] Version oldest() const { return oldest_; }
  [[nodiscard]] const std::deque<StoredEvent>& history() const { return history_; }

  // Keeps at most this many events; the older ones are compacted away.
  void set_window(std::size_t events);
  void compact() { trim(0); }

  void on_event(Listener listener) { listeners_.push_back(std::move(listener)); }

 private:
  void record(StoredEvent event);
  void trim(std::size_t keep);

  std::map<const ResourceType*, Objects> objects_;
  std::deque<StoredEvent> history_;
  std::size_t window_ = 10'000;
  Version version_ = 1;
  Version oldest_ = 1;
  std::vector<Listener> listeners_;
};

}  // namespace davit::sim
