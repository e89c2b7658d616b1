#include "sim/field_walk.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

bool is_keyed(const Shape& shape) { return shape.list != ListKind::kAtomic; }

// Metadata that only the server writes, and what every request must say.
void strip_unowned(FieldSet& fields) {
  static const FieldSet kNever = {
      {"f:apiVersion"},
      {"f:kind"},
      {"f:metadata"},
      {"f:metadata", "f:name"},
      {"f:metadata", "f:namespace"},
      {"f:metadata", "f:creationTimestamp"},
      {"f:metadata", "f:selfLink"},
      {"f:metadata", "f:uid"},
      {"f:metadata", "f:generation"},
      {"f:metadata", "f:managedFields"},
      {"f:metadata", "f:resourceVersion"},
      {"f:metadata", "f:deletionTimestamp"},
      {"f:metadata", "f:deletionGracePeriodSeconds"},
  };
  fields.subtract(kNever);
}

void claim(const json::value& value, const Shape& shape, FieldSet& set);

void claim_members(const json::object& object, const Shape& shape, FieldSet& set) {
  for (const auto& [name, value] : object) {
    const ShapeMember* member = shape.member(name);
    const Shape* below = member ? member->shape : shape.below(name);
    FieldSet fields;
    claim(value, below ? *below : Shapes::any(), fields);
    if (value.is_null() || (value.is_object() && value.as_object().empty()) || !member) {
      fields.mark();
    }
    set.add(member ? member->element : "f:" + std::string(name), std::move(fields));
  }
}

void claim(const json::value& value, const Shape& shape, FieldSet& set) {
  if (value.is_object() && !shape.atomic_map) {
    claim_members(value.as_object(), shape, set);
  } else if (value.is_array() && is_keyed(shape)) {
    for (const json::value& item : value.as_array()) {
      FieldSet fields;
      claim(item, *shape.items, fields);
      fields.mark();
      set.add(item_element(item, shape), std::move(fields));
    }
  } else {
    set.mark();
  }
}

struct Comparer {
  FieldSet changed, removed;

  static bool is_empty(const json::value* value) {
    if (!value || value->is_null()) return true;
    if (value->is_object()) return value->as_object().empty();
    return value->is_array() && value->as_array().empty();
  }

  // Fills the sets for what stands at one place; `before` or `after` may be absent.
  void walk(const json::value* before, const json::value* after, const Shape& shape, bool always,
            FieldSet& changed_here, FieldSet& removed_here) {
    const json::value* some = after && !after->is_null() ? after : before;
    if (!some) return;
    const bool both_empty = is_empty(before) && is_empty(after);
    const bool leaf = both_empty || (!some->is_object() && !some->is_array()) ||
                      (some->is_object() && shape.atomic_map) ||
                      (some->is_array() && !is_keyed(shape)) ||
                      (before && after && !before->is_null() && !after->is_null() &&
                       before->kind() != after->kind());
    if (leaf) {
      if (!before) {
        // An empty struct that the server's own form always has is nothing new.
        if (!always || !is_empty(after)) changed_here.mark();
      } else if (!after) {
        removed_here.mark();
      } else if (*before != *after) {
        changed_here.mark();
      }
      return;
    }
    if (some->is_object()) {
      members(before ? before->if_object() : nullptr, after ? after->if_object() : nullptr, shape,
              !before && !always, changed_here, removed_here);
    } else {
      items(before ? before->if_array() : nullptr, after ? after->if_array() : nullptr, shape,
            changed_here, removed_here);
    }
    if (!before && !always) changed_here.mark();
    if (!after) removed_here.mark();
  }

  void members(const json::object* before, const json::object* after, const Shape& shape,
               bool is_new, FieldSet& changed_here, FieldSet& removed_here) {
    const auto visit = [&](std::string_view name, const json::value* old, const json::value* now) {
      if (old && now && !old->is_structured() && *old == *now) return;
      const ShapeMember* member = shape.member(name);
      const Shape* below = member ? member->shape : shape.below(name);
      FieldSet changed_below;
      FieldSet removed_below;
      walk(old, now, below ? *below : Shapes::any(), member && member->always && !is_new,
           changed_below, removed_below);
      if (changed_below.empty() && removed_below.empty()) return;
      const std::string element = member ? member->element : "f:" + std::string(name);
      changed_here.add(element, std::move(changed_below));
      removed_here.add(element, std::move(removed_below));
    };
    if (after) {
      for (const auto& [name, value] : *after) {
        visit(name, before ? before->if_contains(name) : nullptr, &value);
      }
    }
    if (before) {
      for (const auto& [name, value] : *before) {
        if (!after || !after->contains(name)) visit(name, &value, nullptr);
      }
    }
  }

  static const json::value* same_in(const json::array* list, const json::value& item,
                                    std::size_t hint, const Shape& shape) {
    if (!list) return nullptr;
    if (hint < list->size() && same_item((*list)[hint], item, shape)) return &(*list)[hint];
    const auto found = std::ranges::find_if(
        *list, [&](const json::value& other) { return same_item(other, item, shape); });
    return found == list->end() ? nullptr : &*found;
  }

  void items(const json::array* before, const json::array* after, const Shape& shape,
             FieldSet& changed_here, FieldSet& removed_here) {
    const auto visit = [&](const json::value& item, const json::value* old,
                           const json::value* now) {
      FieldSet changed_below;
      FieldSet removed_below;
      walk(old, now, *shape.items, false, changed_below, removed_below);
      if (changed_below.empty() && removed_below.empty()) return;
      const std::string element = item_element(item, shape);
      changed_here.add(element, std::move(changed_below));
      removed_here.add(element, std::move(removed_below));
    };
    for (std::size_t i = 0; after && i < after->size(); ++i) {
      visit((*after)[i], same_in(before, (*after)[i], i, shape), &(*after)[i]);
    }
    for (std::size_t i = 0; before && i < before->size(); ++i) {
      if (!same_in(after, (*before)[i], i, shape)) visit((*before)[i], &(*before)[i], nullptr);
    }
  }
};

json::value left_of(const json::value& value, const FieldSet& fields, const Shape& shape);

json::value left_of_object(const json::object& object, const FieldSet& fields, const Shape& shape) {
  json::object rest;
  for (const auto& [name, value] : object) {
    const ShapeMember* member = shape.member(name);
    const FieldSet* below = fields.below(member ? member->element : "f:" + std::string(name));
    if (!below) {
      rest[name] = value;
      continue;
    }
    if (below->is_member()) continue;
    const Shape* at = member ? member->shape : shape.below(name);
    json::value left = left_of(value, *below, at ? *at : Shapes::any());
    if (!left.is_null()) rest[name] = std::move(left);
  }
  return rest.empty() ? json::value() : json::value(std::move(rest));
}

json::value left_of(const json::value& value, const FieldSet& fields, const Shape& shape) {
  if (value.is_object() && !shape.atomic_map) {
    return left_of_object(value.as_object(), fields, shape);
  }
  if (!value.is_array() || !is_keyed(shape)) return value;
  json::array rest;
  for (const json::value& item : value.as_array()) {
    const FieldSet* below = fields.below(item_element(item, shape));
    if (below && below->is_member()) continue;
    json::value left = below ? left_of(item, *below, *shape.items) : item;
    if (!left.is_null()) rest.push_back(std::move(left));
  }
  return rest.empty() ? json::value() : json::value(std::move(rest));
}

const json::value& key_of(const json::object& item, const Shape& list, std::size_t i) {
  const json::value* value = item.if_contains(list.keys[i]);
  return value && !value->is_null() ? *value : list.key_defaults[i];
}

}  // namespace

bool same_item(const json::value& a, const json::value& b, const Shape& list) {
  if (list.list != ListKind::kMap || !a.is_object() || !b.is_object()) return a == b;
  for (std::size_t i = 0; i < list.keys.size(); ++i) {
    if (key_of(a.as_object(), list, i) != key_of(b.as_object(), list, i)) return false;
  }
  return true;
}

std::string item_element(const json::value& item, const Shape& list) {
  if (list.list != ListKind::kMap || !item.is_object()) return "v:" + wire::canonical(item);
  json::object values;
  for (std::size_t i = 0; i < list.keys.size(); ++i) {
    values[list.keys[i]] = key_of(item.as_object(), list, i);
  }
  return "k:" + wire::canonical(values);
}

FieldSet fields_of(const json::object& object, const Shape& shape) {
  FieldSet fields;
  claim_members(object, shape, fields);
  strip_unowned(fields);
  return fields;
}

FieldSet with_named_parents(const FieldSet& fields, const Shape& shape) {
  FieldSet all;
  if (fields.is_member()) all.mark();
  for (const auto& [element, below] : fields.children()) {
    const bool named = element.starts_with("f:");
    const std::string_view name = std::string_view(element).substr(2);
    const ShapeMember* member = named ? shape.member(name) : nullptr;
    const Shape* at = nullptr;
    if (named) {
      at = member ? member->shape : shape.below(name);
    } else {
      at = shape.items;
    }
    FieldSet node = with_named_parents(below, at ? *at : Shapes::any());
    if (member) node.mark();
    all.add(element, std::move(node));
  }
  return all;
}

Comparison compare(const json::object& before, const json::object& after, const Shape& shape) {
  Comparer comparer;
  comparer.members(&before, &after, shape, false, comparer.changed, comparer.removed);
  strip_unowned(comparer.changed);
  strip_unowned(comparer.removed);
  return {std::move(comparer.changed), std::move(comparer.removed)};
}

json::object without(const json::object& object, const FieldSet& fields, const Shape& shape) {
  json::value left = left_of_object(object, fields, shape);
  return left.is_object() ? std::move(left.as_object()) : json::object();
}

}  // namespace davit::sim
