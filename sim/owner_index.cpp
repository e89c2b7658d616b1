#include "sim/owner_index.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

Uid owner_uid(const json::value& owner) {
  return Uid(std::string(wire::find_string(owner.as_object(), "uid")));
}

bool was_deleting(const Object& object) { return object && kube::is_deleting(*object); }

}  // namespace

const json::array& owners_of(const json::object& object) {
  static const json::array none;
  const json::array* owners = wire::find_array(object, "metadata.ownerReferences");
  return owners ? *owners : none;
}

void OwnerIndex::follow(const StoredEvent& event) {
  static const json::array none;
  const json::array& before = event.before ? owners_of(*event.before) : none;
  const json::array& after = event.after ? owners_of(*event.after) : none;
  const bool same_owners = event.before && event.after && before == after;
  const bool same_life = event.before && event.after &&
                         kube::is_deleting(*event.before) == kube::is_deleting(*event.after);
  if (same_owners && same_life) return;
  const StoredRef ref{event.type->qualified(), event.key, event.type};
  if (!same_owners) {
    for (const json::value& owner : before) {
      const auto found = dependents_.find(owner_uid(owner));
      if (found == dependents_.end()) continue;
      found->second.erase(ref);
      if (found->second.empty()) dependents_.erase(found);
    }
    for (const json::value& owner : after) dependents_[owner_uid(owner)].insert(ref);
    if (after.empty()) {
      suspects_.erase(ref);
    } else {
      suspects_.insert(ref);
    }
  }
  if (was_deleting(event.after)) {
    deleting_.insert(ref);
  } else if (was_deleting(event.before)) {
    deleting_.erase(ref);
  }
  if (!event.before) spaces_[kube::uid_of(*event.after)] = event.key.ns;
  if (event.after) return;
  const Uid uid = kube::uid_of(*event.before);
  spaces_.erase(uid);
  const Refs& left = dependents_of(uid);
  suspects_.insert(left.begin(), left.end());
}

const OwnerIndex::Refs& OwnerIndex::dependents_of(const Uid& owner) const {
  static const Refs none;
  const auto found = dependents_.find(owner);
  return found == dependents_.end() ? none : found->second;
}

bool OwnerIndex::is_held(const json::object& object) const {
  const std::string ns = kube::key_of(object).ns;
  return std::ranges::any_of(owners_of(object), [&](const json::value& owner) {
    const auto found = spaces_.find(owner_uid(owner));
    return found != spaces_.end() && (found->second.empty() || found->second == ns);
  });
}

}  // namespace davit::sim
