// Strategic merge patch, after k8s.io/apimachinery's pkg/util/strategicpatch.
#include <algorithm>

#include "sim/merge.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kOrder = "$setElementOrder/";
constexpr std::string_view kDelete = "$deleteFromPrimitiveList/";

void merge_object(json::object& target, const json::object& patch, const Shape& shape);

const json::value& member_of(const json::value& item, std::string_view key) {
  static const json::value none;
  const json::object* object = item.if_object();
  const json::value* value = object ? object->if_contains(key) : nullptr;
  return value ? *value : none;
}

bool same(const json::value& a, const json::value& b, const std::string& key) {
  return key.empty() ? a == b : member_of(a, key) == member_of(b, key);
}

json::array::iterator find_item(json::array& list, const json::value& item,
                                const std::string& key) {
  return std::ranges::find_if(list,
                              [&](const json::value& other) { return same(other, item, key); });
}

void merge_list(json::array& target, const json::array& patch, const Shape& shape) {
  // {"$patch": "replace"} anywhere in the list replaces it by the other items.
  const auto replaces = [](const json::value& item) {
    return item.is_object() && wire::find_string(item.as_object(), "$patch") == "replace";
  };
  if (std::ranges::any_of(patch, replaces)) target.clear();
  for (const json::value& item : patch) {
    if (replaces(item)) continue;
    const std::string& key = item.is_object() ? shape.merge_key : std::string();
    const auto there = find_item(target, item, key);
    if (item.is_object() && wire::find_string(item.as_object(), "$patch") == "delete") {
      if (there != target.end()) target.erase(there);
    } else if (there == target.end()) {
      json::value fresh = item;
      if (item.is_object()) {
        fresh = json::object();
        merge_object(fresh.as_object(), item.as_object(), *shape.items);
      }
      target.push_back(std::move(fresh));
    } else if (item.is_object() && there->is_object()) {
      merge_object(there->as_object(), item.as_object(), *shape.items);
    }
  }
}

// The order after a merge: what the patch names in its order, the rest in the old one; an old item
// stands before a new one only where the old list says so.
void order_after_merge(json::array& list, const json::array& patch, const json::array& before,
                       const std::string& key) {
  const auto place = [&](const json::array& in, const json::value& item) {
    const auto found =
        std::ranges::find_if(in, [&](const json::value& other) { return same(other, item, key); });
    return static_cast<std::size_t>(found - in.begin());
  };
  std::vector<json::value> named;
  std::vector<json::value> rest;
  for (const json::value& item : list) {
    (place(patch, item) < patch.size() ? named : rest).push_back(item);
  }
  std::ranges::sort(named, {}, [&](const json::value& item) { return place(patch, item); });
  std::ranges::sort(rest, {}, [&](const json::value& item) { return place(before, item); });
  list.clear();
  std::size_t n = 0;
  std::size_t r = 0;
  while (n < named.size() || r < rest.size()) {
    bool old_first = n == named.size();
    if (n < named.size() && r < rest.size()) {
      const std::size_t old = place(before, named[n]);
      old_first = old < before.size() && place(before, rest[r]) < old;
    }
    list.push_back(old_first ? rest[r++] : named[n++]);
  }
}

// Items named by `order` stand in its order; the others stay where they are relative to their
// neighbours before them.
void set_order(json::array& list, const json::array& order, const std::string& key) {
  const auto rank = [&](const json::value& item) {
    const auto at = std::ranges::find_if(
        order, [&](const json::value& wanted) { return same(wanted, item, key); });
    return static_cast<std::size_t>(at - order.begin());
  };
  std::vector<std::size_t> places;
  std::vector<std::pair<std::size_t, std::size_t>> named;  // rank, place
  for (std::size_t i = 0; i < list.size(); ++i) {
    const std::size_t at = rank(list[i]);
    if (at == order.size()) continue;
    places.push_back(i);
    named.emplace_back(at, i);
  }
  std::ranges::sort(named);
  const json::array before = list;
  for (std::size_t i = 0; i < places.size(); ++i) list[places[i]] = before[named[i].second];
}

void retain(json::object& target, const json::object& patch) {
  const json::array* keys = wire::find_array(patch, "$retainKeys");
  if (!keys) return;
  std::vector<std::string> doomed;
  for (const auto& [name, value] : target) {
    if (std::ranges::find(*keys, json::value(name)) == keys->end()) doomed.emplace_back(name);
  }
  for (const std::string& name : doomed) target.erase(name);
}

void merge_object(json::object& target, const json::object& patch, const Shape& shape) {
  const std::string_view directive = wire::find_string(patch, "$patch");
  if (directive == "replace" || directive == "delete") {
    target.clear();
    if (directive == "delete") return;
  }
  retain(target, patch);
  for (const auto& [name, value] : patch) {
    const std::string_view member = name;
    if (member.starts_with(kDelete)) {
      json::value* list = target.if_contains(member.substr(kDelete.size()));
      for (const json::value& item : value.as_array()) {
        if (!list || !list->is_array()) break;
        const auto there = find_item(list->as_array(), item, {});
        if (there != list->as_array().end()) list->as_array().erase(there);
      }
    }
    if (member.starts_with("$")) continue;
    if (value.is_null()) {
      target.erase(name);
      continue;
    }
    const Shape* found = shape.below(name);
    const Shape& below = found ? *found : Shapes::any();
    json::value& there = target[name];
    if (value.is_object()) {
      if (!there.is_object()) there.emplace_object();
      merge_object(there.as_object(), value.as_object(), below);
    } else if (value.is_array() && below.merges) {
      if (!there.is_array()) there.emplace_array();
      const json::array before = there.as_array();
      merge_list(there.as_array(), value.as_array(), below);
      const bool keyed = !before.empty() && before[0].is_object();
      order_after_merge(there.as_array(), value.as_array(), before,
                        keyed ? below.merge_key : std::string());
    } else {
      there = value;
    }
  }
  for (const auto& [name, value] : patch) {
    const std::string_view member = name;
    if (!member.starts_with(kOrder) || !value.is_array()) continue;
    const std::string_view list_name = member.substr(kOrder.size());
    json::value* list = target.if_contains(list_name);
    const Shape* below = shape.below(list_name);
    if (!list || !list->is_array() || !below) continue;
    const bool keyed = !value.as_array().empty() && value.as_array()[0].is_object();
    set_order(list->as_array(), value.as_array(), keyed ? below->merge_key : std::string());
  }
}

}  // namespace

json::object strategic_merge(json::object target, const json::object& patch, const Shape& shape) {
  merge_object(target, patch, shape);
  return target;
}

}  // namespace davit::sim
