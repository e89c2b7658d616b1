// The writer of schema.hpp: described structs into JSON, members in the order of the table.
#include <fmt/format.h>

#include "wire/schema.hpp"

namespace davit::wire {

json::object write_struct(const Struct& table, const void* in) {
  json::object object;
  for (const Field& field : table.fields) {
    json::value value;
    if (field.type->write(field.view(in), value, field.spec.form)) {
      object.emplace(field.spec.name, std::move(value));
    }
  }
  return object;
}

namespace detail {

bool write_string(const void* in, json::value& out, Form) {
  out = json::string(*static_cast<const std::string*>(in));
  return true;
}

bool write_boolean(const void* in, json::value& out, Form) {
  out = *static_cast<const bool*>(in);
  return true;
}

bool write_integer(const void* in, json::value& out, Form form) {
  const std::int64_t number = *static_cast<const std::int64_t*>(in);
  if (form == Form::kPercent) {
    out = json::string(fmt::format("{}%", number));
  } else {
    out = number;
  }
  return true;
}

}  // namespace detail

}  // namespace davit::wire
