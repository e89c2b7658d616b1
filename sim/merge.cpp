#include "sim/merge.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

using runtime::ListType;

// Whether $patch directives count; whether atomic maps are merged all the same.
enum class Mode { kApply, kStrategic };

json::value merged(const json::value& live, const json::value& patch, const Structure& at,
                   Mode mode);

json::object merged_object(const json::object& live, const json::object& patch, const Structure& at,
                           Mode mode) {
  if (mode == Mode::kStrategic && wire::find_string(patch, "$patch") == "replace") {
    json::object whole = patch;
    whole.erase("$patch");
    return whole;
  }
  json::object result = live;
  for (const auto& [name, value] : patch) {
    if (name.starts_with("$")) continue;
    if (value.is_null()) {
      result.erase(name);
      continue;
    }
    const json::value* there = result.if_contains(name);
    result[name] = merged(there ? *there : json::value(), value, at.member(name), mode);
  }
  return result;
}

bool same_keys(const json::value& item, const json::object& other,
               const std::vector<std::string>& keys) {
  if (!item.is_object()) return false;
  return std::ranges::all_of(keys, [&](const std::string& key) {
    return runtime::merge_key_value(item.as_object(), key) == runtime::merge_key_value(other, key);
  });
}

json::array merged_list(const json::array& live, const json::array& patch, const Structure& at,
                        Mode mode) {
  const Structure::List rule = at.list();
  if (rule.type == ListType::kAtomic) return patch;
  json::array result = live;
  for (const json::value& item : patch) {
    if (rule.type == ListType::kSet || !item.is_object()) {
      if (std::ranges::find(result, item) == result.end()) result.push_back(item);
      continue;
    }
    const json::object& object = item.as_object();
    const auto there = std::ranges::find_if(
        result, [&](const json::value& other) { return same_keys(other, object, rule.keys); });
    if (mode == Mode::kStrategic && wire::find_string(object, "$patch") == "delete") {
      if (there != result.end()) result.erase(there);
    } else if (there == result.end()) {
      result.push_back(merged_object({}, object, at.item(), mode));
    } else {
      *there = merged_object(there->as_object(), object, at.item(), mode);
    }
  }
  return result;
}

json::value merged(const json::value& live, const json::value& patch, const Structure& at,
                   Mode mode) {
  if (patch.is_object() && (mode == Mode::kStrategic || !at.is_atomic_map())) {
    return merged_object(live.is_object() ? live.as_object() : json::object(), patch.as_object(),
                         at, mode);
  }
  if (patch.is_array()) {
    return merged_list(live.is_array() ? live.as_array() : json::array(), patch.as_array(), at,
                       mode);
  }
  return patch;
}

}  // namespace

json::object merge_applied(const json::object& live, const json::object& config,
                           const ResourceType& type) {
  return merged_object(live, config, Structure(type), Mode::kApply);
}

json::object strategic_merge(const json::object& target, const json::object& patch,
                             const ResourceType& type) {
  return merged_object(target, patch, Structure(type), Mode::kStrategic);
}

json::value merge_patch(json::value target, const json::value& patch) {
  if (!patch.is_object()) return patch;
  if (!target.is_object()) target.emplace_object();
  json::object& object = target.as_object();
  for (const auto& [name, value] : patch.as_object()) {
    if (value.is_null()) {
      object.erase(name);
    } else {
      const json::value* there = object.if_contains(name);
      object[name] = merge_patch(there ? *there : json::value(), value);
    }
  }
  return target;
}

}  // namespace davit::sim
