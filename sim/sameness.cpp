#include "sim/sameness.hpp"

#include <algorithm>

namespace davit::sim {

namespace {

// Members of `a` that `b` has otherwise or not at all; `skips` says which do not count.
template <typename Skips>
bool covered(const json::object& a, const json::object& b, const Skips& skips) {
  return std::ranges::all_of(a, [&](const auto& member) {
    if (skips(member.key())) return true;
    const json::value* other = b.if_contains(member.key());
    return other && *other == member.value();
  });
}

template <typename Skips>
bool same(const json::object& before, const json::object& after, const Skips& skips) {
  const auto is_metadata = [](std::string_view name) { return name == "metadata"; };
  if (before.size() != after.size() || !covered(after, before, is_metadata)) return false;
  const json::object* old = wire::find_object(before, "metadata");
  const json::object* now = wire::find_object(after, "metadata");
  if (!old || !now) return old == now;
  return covered(*old, *now, skips) && covered(*now, *old, skips);
}

bool same_entry(const json::value& a, const json::value& b) {
  if (!a.is_object() || !b.is_object()) return a == b;
  const auto is_time = [](std::string_view name) { return name == "time"; };
  return covered(a.as_object(), b.as_object(), is_time) &&
         covered(b.as_object(), a.as_object(), is_time);
}

}  // namespace

bool same_but_managed_fields(const json::object& before, const json::object& after) {
  return same(before, after, [](std::string_view name) { return name == "managedFields"; });
}

bool same_but_times(const json::object& before, const json::object& after) {
  const auto skips = [](std::string_view name) {
    return name == "managedFields" || name == "resourceVersion";
  };
  if (!same(before, after, skips)) return false;
  const json::array* old = wire::find_array(before, "metadata.managedFields");
  const json::array* now = wire::find_array(after, "metadata.managedFields");
  static const json::array none;
  if (!old) old = &none;
  if (!now) now = &none;
  return std::ranges::equal(*old, *now, same_entry);
}

}  // namespace davit::sim
