// The reader of schema.hpp: JSON into described structs.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "wire/schema.hpp"

namespace davit::wire {

namespace {

std::string_view name_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return "null";
    case json::kind::bool_:
      return "a boolean";
    case json::kind::int64:
    case json::kind::uint64:
      return "an integer";
    case json::kind::double_:
      return "a number";
    case json::kind::string:
      return "text";
    case json::kind::array:
      return "a list";
    case json::kind::object:
      return "an object";
  }
  return "something else";
}

// A number as somebody would have written it in quotes.
std::string number_text(const json::value& value) {
  if (const double* number = value.if_double()) {
    return fmt::format("{}", *number);
  }
  return json::serialize(value);
}

std::optional<std::int64_t> whole(const json::value& value) {
  if (const std::int64_t* number = value.if_int64()) return *number;
  if (const double* number = value.if_double()) {
    if (std::trunc(*number) == *number && std::abs(*number) < 0x1p53) {
      return static_cast<std::int64_t>(*number);
    }
  }
  return std::nullopt;
}

}  // namespace

std::string Path::to_string() const {
  std::string out = parent != nullptr ? parent->to_string() : std::string{};
  if (element) return out + fmt::format("[{}]", index);
  if (key) return out + fmt::format("[{}]", name);
  if (!out.empty() && !name.empty()) out += '.';
  out += name;
  return out;
}

Status read_struct(const Struct& table, const json::object& object, void* out, const Path& path) {
  for (const Field& field : table.fields) {
    const json::value* value = object.if_contains(field.spec.name);
    if (value == nullptr || value->is_null()) continue;
    const Path step{.parent = &path, .name = field.spec.name};
    if (auto ok = field.type->read(*value, field.at(out), step, field.spec.form); !ok) return ok;
  }
  return {};
}

namespace detail {

Status wrong_type(const Path& path, std::string_view wanted, const json::value& found) {
  return fail(Code::kInvalid,
              fmt::format("{} must be {}, but is {}", path.to_string(), wanted, name_of(found)));
}

Status read_string(const json::value& value, void* out, const Path& path, Form form) {
  auto& text = *static_cast<std::string*>(out);
  if (const json::string* string = value.if_string()) {
    text.assign(string->data(), string->size());
    return {};
  }
  const bool may_be_number = form == Form::kText || form == Form::kQuantity || form == Form::kSize;
  if (may_be_number && value.is_number()) {
    text = number_text(value);
    return {};
  }
  return wrong_type(path, may_be_number ? "text or a number" : "text", value);
}

Status read_boolean(const json::value& value, void* out, const Path& path, Form) {
  const bool* boolean = value.if_bool();
  if (boolean == nullptr) return wrong_type(path, "true or false", value);
  *static_cast<bool*>(out) = *boolean;
  return {};
}

Status read_integer(const json::value& value, void* out, const Path& path, Form form) {
  auto& number = *static_cast<std::int64_t*>(out);
  if (const auto found = whole(value)) {
    number = *found;
    return {};
  }
  const json::string* text = value.if_string();
  if (form != Form::kPercent) return wrong_type(path, "an integer", value);
  if (text == nullptr) return wrong_type(path, "a percentage such as \"5%\"", value);
  const auto end = std::from_chars(text->data(), text->data() + text->size(), number);
  if (end.ec != std::errc{} || std::string_view(end.ptr, text->data() + text->size()) != "%") {
    return fail(Code::kInvalid, fmt::format("{} must be a percentage such as \"5%\", but is \"{}\"",
                                            path.to_string(), std::string_view(*text)));
  }
  return {};
}

}  // namespace detail

}  // namespace davit::wire
