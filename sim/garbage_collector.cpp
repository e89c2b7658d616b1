#include "sim/garbage_collector.hpp"

#include <algorithm>
#include <set>

namespace davit::sim {

namespace {

const json::array& owners_of(const json::object& object) {
  static const json::array none;
  const json::array* owners = wire::find_array(object, "metadata.ownerReferences");
  return owners ? *owners : none;
}

bool has_finalizer(const json::object& object, std::string_view finalizer) {
  const json::array* finalizers = wire::find_array(object, "metadata.finalizers");
  return finalizers && std::ranges::find(*finalizers, json::value(finalizer)) != finalizers->end();
}

bool is_owned_by(const json::object& object, const Uid& uid) {
  return std::ranges::any_of(owners_of(object), [&](const json::value& owner) {
    return wire::find_string(owner.as_object(), "uid") == uid.value;
  });
}

template <typename Predicate>
void drop_if(json::array& list, Predicate predicate) {
  for (auto item = list.begin(); item != list.end();) {
    item = predicate(*item) ? list.erase(item) : item + 1;
  }
}

}  // namespace

GarbageCollector::GarbageCollector(io::Loop& loop, Operations& operations)
    : loop_(&loop), operations_(&operations) {
  operations.store().on_event([this](const StoredEvent& event) {
    const bool depends = event.after && !owners_of(*event.after).empty();
    const bool ends = !event.after || kube::is_deleting(*event.after);
    if (depends || ends) wake();
  });
}

void GarbageCollector::wake() {
  if (pending_ != 0 || !enabled) return;
  pending_ = loop_->call_after(delay, [this] {
    pending_ = 0;
    run();
  });
}

std::vector<GarbageCollector::Item> GarbageCollector::snapshot() const {
  std::vector<Item> items;
  for (const auto& [type, objects] : operations_->store().everything()) {
    for (const auto& [key, object] : objects) items.push_back({type, object});
  }
  // In the order they were made, whatever their addresses.
  std::ranges::sort(items, {}, [](const Item& item) {
    return std::tuple(item.type->qualified(), kube::key_of(*item.object));
  });
  return items;
}

void GarbageCollector::run() {
  const std::vector<Item> items = snapshot();
  collect_dependents(items);
  finish_deletions(items);
  empty_namespaces(items);
}

void GarbageCollector::collect_dependents(const std::vector<Item>& items) {
  std::set<std::pair<std::string, Uid>> alive;  // owners live in the namespace, or have none
  for (const Item& item : items) {
    alive.emplace(kube::key_of(*item.object).ns, kube::uid_of(*item.object));
  }
  for (const Item& item : items) {
    const json::array& owners = owners_of(*item.object);
    if (owners.empty() || kube::is_deleting(*item.object)) continue;
    const ObjectKey key = kube::key_of(*item.object);
    const bool held = std::ranges::any_of(owners, [&](const json::value& owner) {
      const Uid uid(std::string(wire::find_string(owner.as_object(), "uid")));
      return alive.contains({key.ns, uid}) || alive.contains({"", uid});
    });
    if (held) continue;
    (void)operations_->remove(*item.type, key, {.uid = kube::uid_of(*item.object).value});
  }
}

void GarbageCollector::finish_deletions(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (!kube::is_deleting(*item.object)) continue;
    const Uid uid = kube::uid_of(*item.object);
    if (has_finalizer(*item.object, "orphan")) {
      for (const Item& child : items) {
        if (!is_owned_by(*child.object, uid)) continue;
        operations_->edit(*child.type, kube::key_of(*child.object), "", [&](json::object& object) {
          json::array& owners = object["metadata"].as_object()["ownerReferences"].as_array();
          drop_if(owners, [&](const json::value& owner) {
            return wire::find_string(owner.as_object(), "uid") == uid.value;
          });
          if (owners.empty()) object["metadata"].as_object().erase("ownerReferences");
        });
      }
      drop_finalizer(item, "orphan");
    } else if (has_finalizer(*item.object, "foregroundDeletion")) {
      bool blocked = false;
      for (const Item& child : items) {
        if (!is_owned_by(*child.object, uid)) continue;
        blocked = true;
        if (kube::is_deleting(*child.object)) continue;
        (void)operations_->remove(
            *child.type, kube::key_of(*child.object),
            {.uid = kube::uid_of(*child.object).value, .propagation = "Foreground"});
      }
      if (blocked) {
        wake();
      } else {
        drop_finalizer(item, "foregroundDeletion");
      }
    }
  }
}

void GarbageCollector::empty_namespaces(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (item.type->plural != "namespaces" || !kube::is_deleting(*item.object)) continue;
    const ObjectKey key = kube::key_of(*item.object);
    operations_->edit(*item.type, key, "status", [](json::object& ns) {
      wire::ensure_object(ns, "status")["phase"] = "Terminating";
    });
    bool empty = true;
    for (const Item& child : items) {
      const ObjectKey child_key = kube::key_of(*child.object);
      if (child_key.ns != key.name) continue;
      empty = false;
      if (!kube::is_deleting(*child.object)) (void)operations_->remove(*child.type, child_key, {});
    }
    if (empty) drop_finalizer(item, "kubernetes");
  }
}

void GarbageCollector::drop_finalizer(const Item& item, std::string_view finalizer) {
  operations_->edit(*item.type, kube::key_of(*item.object), "", [&](json::object& object) {
    json::value* finalizers = object["metadata"].as_object().if_contains("finalizers");
    if (!finalizers) return;
    drop_if(finalizers->as_array(),
            [&](const json::value& name) { return name == json::value(finalizer); });
    if (finalizers->as_array().empty()) object["metadata"].as_object().erase("finalizers");
  });
}

}  // namespace davit::sim
