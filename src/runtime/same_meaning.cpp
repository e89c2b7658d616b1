#include "runtime/same_meaning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "runtime/merge_keys.hpp"
#include "wire/quantity.hpp"

namespace davit::runtime {

namespace {

struct Place {
  std::string_view kind;
  std::string_view parent;  // member the value hangs under
  std::string_view name;    // member name of the value
};

// Where Kubernetes has quantities in the kinds Davit applies.
bool holds_quantities(const Place& place) {
  constexpr std::array<std::string_view, 5> kMaps{"requests", "limits", "capacity", "hard",
                                                  "overhead"};
  return place.name == "sizeLimit" || place.name == "divisor" ||
         std::ranges::find(kMaps, place.parent) != kMaps.end();
}

// Plain members that Go's encoding leaves out when they are zero, so that a server never shows the
// zero we asked for. Pointers (automountServiceAccountToken, …) keep theirs and are not here.
bool is_left_out_when_zero(const json::value& value, std::string_view name) {
  constexpr auto kNames = std::to_array<std::string_view>(
      {"hostNetwork", "hostPID", "hostIPC", "readOnly", "publishNotReadyAddresses", "stdin",
       "stdinOnce", "tty", "minReadySeconds", "value", "subPath", "paused", "initialDelaySeconds",
       "hostPort", "externalName", "mountPropagation"});
  const bool zero = value == json::value(false) ||
                    (value.is_number() && value.to_number<double>() == 0) ||
                    (value.is_string() && value.get_string().empty());
  return zero && std::ranges::find(kNames, name) != kNames.end();
}

bool same_scalar(const json::value& desired, const json::value& live, const Place& place) {
  if (desired == live) return true;
  if (holds_quantities(place)) {
    const auto a = wire::Quantity::parse(desired);
    const auto b = wire::Quantity::parse(live);
    return a && b && *a == *b;
  }
  if (desired.is_number() && live.is_number()) {
    return desired.to_number<double>() == live.to_number<double>();
  }
  return false;
}

std::string difference(const json::value& desired, const json::value& live, const Place& place,
                       const std::string& path);

std::string difference(const json::object& desired, const json::object& live, const Place& place,
                       const std::string& path) {
  for (const auto& [key, value] : desired) {
    const std::string below =
        path.empty() ? std::string(key) : fmt::format("{}.{}", path, std::string_view(key));
    const json::value* other = live.if_contains(key);
    const bool nothing = value.is_null() || (value.is_object() && value.get_object().empty()) ||
                         (value.is_array() && value.get_array().empty());
    if (other == nullptr) {
      if (nothing || is_left_out_when_zero(value, key)) continue;
      return below;
    }
    std::string found = difference(value, *other, {place.kind, place.name, key}, below);
    if (!found.empty()) return found;
  }
  return {};
}

std::string keyed_difference(const json::array& desired, const json::array& live,
                             const Place& place, const std::string& path,
                             std::span<const std::string_view> keys) {
  for (const json::value& item : desired) {
    if (!item.is_object()) return path;
    const auto match = std::ranges::find_if(live, [&](const json::value& other) {
      return other.is_object() && same_item(item.get_object(), other.get_object(), keys);
    });
    const std::string below =
        fmt::format("{}[{}={}]", path, keys.front(),
                    json::serialize(merge_key_value(item.get_object(), keys.front())));
    if (match == live.end()) return below;
    std::string found = difference(item.get_object(), match->get_object(),
                                   {place.kind, place.parent, place.name}, below);
    if (!found.empty()) return found;
  }
  return {};
}

std::string list_difference(const json::array& desired, const json::array& live, const Place& place,
                            const std::string& path) {
  const ListRule rule = list_rule(place.kind, place.parent, place.name);
  if (rule.type == ListType::kMap) {
    return keyed_difference(desired, live, place, path, rule.keys);
  }
  if (rule.type == ListType::kSet) {
    const bool all = std::ranges::all_of(desired, [&](const json::value& item) {
      return std::ranges::find(live, item) != live.end();
    });
    return all ? std::string() : path;
  }
  if (desired.size() != live.size()) return path;
  for (std::size_t i = 0; i < desired.size(); ++i) {
    std::string found = difference(desired[i], live[i], place, fmt::format("{}[{}]", path, i));
    if (!found.empty()) return found;
  }
  return {};
}

std::string difference(const json::value& desired, const json::value& live, const Place& place,
                       const std::string& path) {
  if (desired.is_object() && live.is_object()) {
    if (is_atomic_map(place.kind, place.parent, place.name) &&
        desired.get_object().size() != live.get_object().size()) {
      return path;
    }
    return difference(desired.get_object(), live.get_object(), place, path);
  }
  if (desired.is_array() && live.is_array()) {
    return list_difference(desired.get_array(), live.get_array(), place, path);
  }
  return same_scalar(desired, live, place) ? std::string() : path;
}

}  // namespace

std::string first_difference(std::string_view kind, const json::object& desired,
                             const json::object& live) {
  return difference(desired, live, {kind, "", ""}, "");
}

}  // namespace davit::runtime
