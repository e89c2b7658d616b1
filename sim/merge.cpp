#include "sim/merge.hpp"

#include <algorithm>

#include "sim/field_walk.hpp"

namespace davit::sim {

namespace {

json::value merged(const json::value* live, const json::value& config, const Shape& shape);

json::object merged_object(const json::object* live, const json::object& config,
                           const Shape& shape) {
  json::object result;
  if (live) result = *live;
  for (const auto& [name, value] : config) {
    if (value.is_null()) {
      result.erase(name);
      continue;
    }
    const Shape* below = shape.below(name);
    result[name] =
        merged(live ? live->if_contains(name) : nullptr, value, below ? *below : Shapes::any());
  }
  return result;
}

const json::value* find_item(const json::array& list, const json::value& item, const Shape& shape) {
  const auto found = std::ranges::find_if(
      list, [&](const json::value& other) { return same_item(other, item, shape); });
  return found == list.end() ? nullptr : &*found;
}

// The order of structured-merge-diff: items that only one side has keep their place relative to
// those both have; the applied order wins among these.
json::array merged_list(const json::array& live, const json::array& config, const Shape& shape) {
  std::vector<const json::value*> shared;  // of config, also in live
  for (const json::value& item : config) {
    if (find_item(live, item, shape)) shared.push_back(&item);
  }
  std::size_t next = 0;  // in shared
  json::array result;
  std::vector<const json::value*> done;
  const auto is_done = [&](const json::value& item) {
    return std::ranges::any_of(
        done, [&](const json::value* other) { return same_item(*other, item, shape); });
  };
  const auto take = [&](const json::value& item) {
    if (is_done(item)) return;
    done.push_back(&item);
    result.push_back(merged(find_item(live, item, shape), item, *shape.items));
    if (next < shared.size() && same_item(*shared[next], item, shape)) ++next;
  };
  std::size_t l = 0;
  std::size_t r = 0;
  while (l < live.size() || r < config.size()) {
    if (l < live.size() && r < config.size() && same_item(live[l], config[r], shape)) {
      take(config[r]);
      ++l, ++r;
      continue;
    }
    if (l < live.size()) {
      const bool both = find_item(config, live[l], shape) != nullptr;
      if (!both) {
        result.push_back(live[l++]);
        continue;
      }
      if (is_done(live[l]) || (next < shared.size() && !same_item(*shared[next], live[l], shape))) {
        ++l;  // its turn comes, or was, with the configuration's order
        continue;
      }
    }
    if (r < config.size()) {
      take(config[r++]);
    } else {
      ++l;
    }
  }
  return result;
}

json::value merged(const json::value* live, const json::value& config, const Shape& shape) {
  if (config.is_object() && !shape.atomic_map) {
    return merged_object(live ? live->if_object() : nullptr, config.as_object(), shape);
  }
  if (config.is_array() && shape.list != ListKind::kAtomic) {
    static const json::array none;
    return merged_list(live && live->is_array() ? live->as_array() : none, config.as_array(),
                       shape);
  }
  return config;
}

}  // namespace

json::object merge_applied(const json::object& live, const json::object& config,
                           const Shape& shape) {
  return merged_object(&live, config, shape);
}

json::value merge_patch(json::value target, const json::value& patch) {
  if (!patch.is_object()) return patch;
  if (!target.is_object()) target.emplace_object();
  json::object& object = target.as_object();
  for (const auto& [name, value] : patch.as_object()) {
    if (value.is_null()) {
      object.erase(name);
    } else {
      json::value* there = object.if_contains(name);
      json::value merged = merge_patch(there ? std::move(*there) : json::value(), value);
      object[name] = std::move(merged);
    }
  }
  return target;
}

}  // namespace davit::sim
