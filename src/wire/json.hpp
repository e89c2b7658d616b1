// JSON as Davit handles it: Boost.JSON values, and small helpers to reach into them.
//
// Paths are dotted member names ("status.conditions"); a missing step yields nullptr / the
// fallback, never an exception, so that reading what somebody else wrote cannot fail loudly.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace davit {

namespace json = boost::json;

namespace wire {

// The value at `path`, or nullptr.
[[nodiscard]] const json::value* find(const json::object& object, std::string_view path);
// As find, when it is of that type.
[[nodiscard]] const json::object* find_object(const json::object& object, std::string_view path);
[[nodiscard]] const json::array* find_array(const json::object& object, std::string_view path);
[[nodiscard]] std::string_view find_string(const json::object& object, std::string_view path,
                                           std::string_view fallback = {});
[[nodiscard]] std::optional<std::int64_t> find_int(const json::object& object,
                                                   std::string_view path);
[[nodiscard]] bool find_bool(const json::object& object, std::string_view path, bool fallback);

// The object at `path`, made where missing (a step that is no object is replaced).
json::object& ensure_object(json::object& object, std::string_view path);

// Parse; kInvalid with the byte offset in the message. Depth is limited to 64.
[[nodiscard]] Result<json::value> parse_json(std::string_view text);
[[nodiscard]] Result<json::object> parse_json_object(std::string_view text);

// Members sorted by name at every level: the same meaning gives the same bytes (hashes, golden
// files).
[[nodiscard]] std::string canonical(const json::value& value);
// Two spaces per level, a newline at the end.
[[nodiscard]] std::string pretty(const json::value& value);

}  // namespace wire
}  // namespace davit
