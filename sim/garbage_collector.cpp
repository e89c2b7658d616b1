#include "sim/garbage_collector.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

bool has_finalizer(const json::object& object, std::string_view finalizer) {
  const json::array* finalizers = wire::find_array(object, "metadata.finalizers");
  return finalizers && std::ranges::find(*finalizers, json::value(finalizer)) != finalizers->end();
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
    index_.follow(event);
    const bool depends = event.after && !owners_of(*event.after).empty();
    const bool ends = !event.after || kube::is_deleting(*event.after);
    if (depends || ends) wake();
  });
}

void GarbageCollector::wake() {
  if (pending_ != 0 || !enabled_) return;
  pending_ = loop_->call_after(delay, [this] {
    pending_ = 0;
    run();
  });
}

void GarbageCollector::set_enabled(bool enabled) {
  enabled_ = enabled;
  if (enabled) return wake();
  loop_->cancel(pending_);
  pending_ = 0;
}

GarbageCollector::Item GarbageCollector::item_of(const StoredRef& ref) const {
  return {ref.type, operations_->store().get(*ref.type, ref.key)};
}

GarbageCollector::Items GarbageCollector::items_of(const OwnerIndex::Refs& refs) const {
  Items items;
  for (const StoredRef& ref : refs) {
    if (Item item = item_of(ref); item.object) items.push_back(std::move(item));
  }
  return items;
}

// Everything is decided on one view of the store, and only then done.
void GarbageCollector::run() {
  const Items doomed = abandoned();
  const std::vector<Ending> ending = endings();
  const std::vector<Ending> ending_namespaces = namespaces();
  for (const Item& item : doomed) {
    (void)operations_->remove(*item.type, kube::key_of(*item.object),
                              {.uid = kube::uid_of(*item.object).value});
  }
  for (const Ending& one : ending) {
    if (has_finalizer(*one.item.object, "orphan")) {
      orphan(one);
    } else {
      take_along(one);
    }
  }
  for (const Ending& one : ending_namespaces) empty_namespace(one);
}

// What has owners, none of whom is there. A removal that is refused is tried again with the next
// run.
GarbageCollector::Items GarbageCollector::abandoned() {
  Items doomed;
  const OwnerIndex::Refs suspects = index_.suspects();
  for (const StoredRef& ref : suspects) {
    Item item = item_of(ref);
    if (!item.object || kube::is_deleting(*item.object) || index_.is_held(*item.object)) {
      index_.settled(ref);
    } else {
      doomed.push_back(std::move(item));
    }
  }
  return doomed;
}

std::vector<GarbageCollector::Ending> GarbageCollector::endings() const {
  std::vector<Ending> endings;
  for (const StoredRef& ref : index_.deleting()) {
    Item item = item_of(ref);
    if (!item.object || (!has_finalizer(*item.object, "orphan") &&
                         !has_finalizer(*item.object, "foregroundDeletion"))) {
      continue;
    }
    const Uid uid = kube::uid_of(*item.object);
    endings.push_back({std::move(item), items_of(index_.dependents_of(uid))});
  }
  return endings;
}

std::vector<GarbageCollector::Ending> GarbageCollector::namespaces() const {
  std::vector<Ending> endings;
  for (const StoredRef& ref : index_.deleting()) {
    if (ref.type->plural != "namespaces") continue;
    Ending ending{.item = item_of(ref), .children = {}};
    if (!ending.item.object) continue;
    OwnerIndex::Refs inside;
    for (const auto& [type, objects] : operations_->store().everything()) {
      for (auto at = objects.lower_bound({ref.key.name, ""});
           at != objects.end() && at->first.ns == ref.key.name; ++at) {
        inside.insert({type->qualified(), at->first, type});
      }
    }
    ending.children = items_of(inside);
    endings.push_back(std::move(ending));
  }
  return endings;
}

void GarbageCollector::orphan(const Ending& ending) {
  const Uid uid = kube::uid_of(*ending.item.object);
  for (const Item& child : ending.children) {
    operations_->edit(*child.type, kube::key_of(*child.object), "", [&](json::object& object) {
      json::object& metadata = object["metadata"].as_object();
      json::value* owners = metadata.if_contains("ownerReferences");
      if (!owners) return;
      drop_if(owners->as_array(), [&](const json::value& owner) {
        return wire::find_string(owner.as_object(), "uid") == uid.value;
      });
      if (owners->as_array().empty()) metadata.erase("ownerReferences");
    });
  }
  drop_finalizer(ending.item, "orphan");
}

void GarbageCollector::take_along(const Ending& ending) {
  for (const Item& child : ending.children) {
    if (kube::is_deleting(*child.object)) continue;
    (void)operations_->remove(
        *child.type, kube::key_of(*child.object),
        {.uid = kube::uid_of(*child.object).value, .propagation = "Foreground"});
  }
  if (ending.children.empty()) drop_finalizer(ending.item, "foregroundDeletion");
}

void GarbageCollector::empty_namespace(const Ending& ending) {
  for (const Item& child : ending.children) {
    if (kube::is_deleting(*child.object)) continue;
    (void)operations_->remove(*child.type, kube::key_of(*child.object), {});
  }
  // What the namespace controller finalises goes, unless somebody else holds it, too.
  const json::array* held = wire::find_array(*ending.item.object, "metadata.finalizers");
  if (ending.children.empty() && (!held || held->empty())) {
    operations_->store().erase(*ending.item.type, kube::key_of(*ending.item.object));
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
