#include "sim/field_set.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

using runtime::ListType;

// Member paths with their values; nullptr for members whose value is the sum of what is below.
using Members = std::map<FieldPath, const json::value*>;

struct Walk {
  Members members;
  bool free_maps;  // also list free maps themselves ("."): what a comparison reports
  FieldPath path;

  void value(const json::value& v, const Structure& at) {
    if (v.is_object() && !at.is_atomic_map()) {
      object(v, at);
    } else if (v.is_array() && at.list().type != ListType::kAtomic) {
      list(v, at);
    } else {
      members.emplace(path, &v);
    }
  }

  void object(const json::value& v, const Structure& at) {
    const json::object& map = v.as_object();
    if (map.empty()) {
      members.emplace(path, &v);
      return;
    }
    if (free_maps && at.is_free_map()) members.emplace(path, nullptr);
    for (const auto& [name, below] : map) {
      path.push_back("f:" + std::string(name));
      value(below, at.member(name));
      path.pop_back();
    }
  }

  void list(const json::value& v, const Structure& at) {
    const Structure::List rule = at.list();
    for (const json::value& item : v.as_array()) {
      if (rule.type == ListType::kMap && item.is_object()) {
        path.push_back(item_key(item.as_object(), rule.keys));
        members.emplace(path, nullptr);
        for (const auto& [name, below] : item.as_object()) {
          path.push_back("f:" + std::string(name));
          value(below, at.item().member(name));
          path.pop_back();
        }
      } else {
        path.push_back("v:" + wire::canonical(item));
        members.emplace(path, &item);
      }
      path.pop_back();
    }
  }
};

bool is_unmanaged(const FieldPath& path) {
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
      {"f:metadata", "f:resourceVersion"},
      {"f:metadata", "f:deletionTimestamp"},
      {"f:metadata", "f:deletionGracePeriodSeconds"},
  };
  if (path.size() >= 2 && path[0] == "f:metadata" && path[1] == "f:managedFields") return true;
  return kNever.contains(path);
}

Members members_of(const json::object& object, const ResourceType& type, bool free_maps) {
  Walk walk{{}, free_maps, {}};
  const Structure root(type);
  for (const auto& [name, value] : object) {
    walk.path = {"f:" + std::string(name)};
    walk.value(value, root.member(name));
  }
  std::erase_if(walk.members, [](const auto& member) { return is_unmanaged(member.first); });
  return std::move(walk.members);
}

// The element of `list` that "k:…" or "v:…" names.
json::array::const_iterator item_at(const json::array& list, const std::string& element) {
  const auto wanted = wire::parse_json(std::string_view(element).substr(2));
  if (!wanted) return list.end();
  if (element.starts_with("v:")) return std::ranges::find(list, *wanted);
  return std::ranges::find_if(list, [&](const json::value& item) {
    if (!item.is_object() || !wanted->is_object()) return false;
    return std::ranges::all_of(wanted->as_object(), [&](const auto& key) {
      return runtime::merge_key_value(item.as_object(), key.key()) == key.value();
    });
  });
}

json::value* step(json::value& value, const std::string& element) {
  if (element.starts_with("f:")) {
    json::object* object = value.if_object();
    return object ? object->if_contains(std::string_view(element).substr(2)) : nullptr;
  }
  json::array* list = value.if_array();
  if (!list) return nullptr;
  const auto item = item_at(*list, element);
  return item == list->end() ? nullptr : &(*list)[static_cast<std::size_t>(item - list->begin())];
}

void encode_into(json::object& node, const FieldPath& path, std::size_t depth) {
  json::value& below = node[path[depth]];
  if (!below.is_object()) below.emplace_object();
  if (depth + 1 < path.size()) {
    encode_into(below.as_object(), path, depth + 1);
  }
}

// A member that also has members below it is marked by ".".
void mark(json::object& node, const FieldPath& path) {
  json::object* at = &node;
  for (const std::string& element : path) at = &at->at(element).as_object();
  if (!at->empty()) (*at)["."] = json::object{};
}

void decode_into(FieldSet& fields, const json::object& node, FieldPath& path) {
  for (const auto& [element, below] : node) {
    if (element == ".") {
      fields.insert(path);
      continue;
    }
    path.emplace_back(element);
    if (below.as_object().empty()) {
      fields.insert(path);
    } else {
      decode_into(fields, below.as_object(), path);
    }
    path.pop_back();
  }
}

}  // namespace

json::object encode_fields(const FieldSet& fields) {
  json::object root;
  for (const FieldPath& path : fields) encode_into(root, path, 0);
  for (const FieldPath& path : fields) mark(root, path);
  return root;
}

FieldSet decode_fields(const json::object& fields_v1) {
  FieldSet fields;
  FieldPath path;
  decode_into(fields, fields_v1, path);
  return fields;
}

std::string describe(const FieldPath& path) {
  std::string text;
  for (const std::string& element : path) {
    const std::string_view rest = std::string_view(element).substr(2);
    if (element.starts_with("f:")) {
      text += "." + std::string(rest);
      continue;
    }
    if (element.starts_with("v:")) {
      text += "[=" + std::string(rest) + "]";
      continue;
    }
    const auto keys = wire::parse_json_object(rest);
    std::string list;
    for (const auto& [key, value] : *keys) {
      if (!list.empty()) list += ",";
      list += std::string(key) + "=" + json::serialize(value);
    }
    text += "[" + list + "]";
  }
  return text;
}

FieldSet fields_of(const json::object& object, const ResourceType& type) {
  FieldSet fields;
  for (const auto& [path, value] : members_of(object, type, false)) fields.insert(path);
  return fields;
}

FieldSet Comparison::changed() const {
  FieldSet all = added;
  all.insert(modified.begin(), modified.end());
  return all;
}

Comparison compare(const json::object& before, const json::object& after,
                   const ResourceType& type) {
  const Members old = members_of(before, type, true);
  const Members now = members_of(after, type, true);
  Comparison comparison;
  for (const auto& [path, value] : now) {
    const auto was = old.find(path);
    if (was == old.end()) {
      comparison.added.insert(path);
    } else if (value && was->second && *value != *was->second) {
      comparison.modified.insert(path);
    }
  }
  for (const auto& [path, value] : old) {
    if (!now.contains(path)) comparison.removed.insert(path);
  }
  return comparison;
}

bool reaches(const FieldSet& fields, const FieldPath& path) {
  const auto next = fields.lower_bound(path);
  return next != fields.end() && next->size() >= path.size() &&
         std::equal(path.begin(), path.end(), next->begin());
}

void remove_path(json::object& object, const FieldPath& path) {
  json::value root(std::move(object));
  json::value* at = &root;
  for (std::size_t i = 0; at && i + 1 < path.size(); ++i) at = step(*at, path[i]);
  const std::string& last = path.back();
  if (at && at->is_object() && last.starts_with("f:")) {
    at->as_object().erase(std::string_view(last).substr(2));
  } else if (at && at->is_array()) {
    json::array& list = at->as_array();
    const auto item = item_at(list, last);
    if (item != list.end()) list.erase(item);
  }
  object = std::move(root.as_object());
}

const json::value* value_at(const json::object& object, const FieldPath& path) {
  const json::object* map = &object;
  const json::value* at = nullptr;
  for (const std::string& element : path) {
    if (element.starts_with("f:")) {
      at = map ? map->if_contains(std::string_view(element).substr(2)) : nullptr;
    } else {
      const json::array* list = at ? at->if_array() : nullptr;
      if (!list) return nullptr;
      const auto item = item_at(*list, element);
      at = item == list->end() ? nullptr : &*item;
    }
    if (!at) return nullptr;
    map = at->if_object();
  }
  return at;
}

}  // namespace davit::sim
