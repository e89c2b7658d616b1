#include "wire/json.hpp"

#include <cmath>
#include <limits>

namespace davit::wire {

namespace {

constexpr std::size_t kMaxDepth = 64;

// Takes the first member name off a dotted path.
std::string_view take_step(std::string_view& path) {
  const std::size_t dot = path.find('.');
  const std::string_view step = path.substr(0, dot);
  path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  return step;
}

}  // namespace

const json::value* find(const json::object& object, std::string_view path) {
  const json::object* at = &object;
  for (;;) {
    const json::value* next = at->if_contains(take_step(path));
    if (next == nullptr || path.empty()) return next;
    at = next->if_object();
    if (at == nullptr) return nullptr;
  }
}

const json::object* find_object(const json::object& object, std::string_view path) {
  const json::value* value = find(object, path);
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* find_array(const json::object& object, std::string_view path) {
  const json::value* value = find(object, path);
  return value == nullptr ? nullptr : value->if_array();
}

std::string_view find_string(const json::object& object, std::string_view path,
                             std::string_view fallback) {
  const json::value* value = find(object, path);
  const json::string* text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? fallback : std::string_view(text->data(), text->size());
}

std::optional<std::int64_t> find_int(const json::object& object, std::string_view path) {
  const json::value* value = find(object, path);
  if (value == nullptr) return std::nullopt;
  if (const std::int64_t* number = value->if_int64()) return *number;
  // An unsigned value is stored as such only where it does not fit, unless somebody built it so.
  if (const std::uint64_t* number = value->if_uint64()) {
    if (*number <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return static_cast<std::int64_t>(*number);
    }
    return std::nullopt;
  }
  if (const double* number = value->if_double()) {
    if (std::trunc(*number) == *number && std::abs(*number) < 0x1p53) {
      return static_cast<std::int64_t>(*number);
    }
  }
  return std::nullopt;
}

bool find_bool(const json::object& object, std::string_view path, bool fallback) {
  const json::value* value = find(object, path);
  const bool* flag = value == nullptr ? nullptr : value->if_bool();
  return flag == nullptr ? fallback : *flag;
}

json::object& ensure_object(json::object& object, std::string_view path) {
  json::object* at = &object;
  while (!path.empty()) {
    json::value& next = (*at)[take_step(path)];
    at = next.is_object() ? &next.get_object() : &next.emplace_object();
  }
  return *at;
}

Result<json::value> parse_json(std::string_view text) {
  json::parse_options options;
  options.max_depth = kMaxDepth;
  unsigned char scratch[4096];
  json::parser parser({}, options, scratch);
  boost::system::error_code error;
  const std::size_t used = parser.write_some(text.data(), text.size(), error);
  if (error) {
    return fail(Code::kInvalid,
                "not JSON at byte " + std::to_string(used) + ": " + error.message());
  }
  if (used != text.size()) {
    return fail(Code::kInvalid, "not JSON at byte " + std::to_string(used) + ": extra data");
  }
  return parser.release();
}

Result<json::object> parse_json_object(std::string_view text) {
  auto value = parse_json(text);
  if (!value) return fail(std::move(value.error()));
  if (!value->is_object()) return fail(Code::kInvalid, "a JSON object is expected at byte 0");
  return std::move(value->get_object());
}

}  // namespace davit::wire
