// The writers of json.hpp. Boost.JSON's own writes doubles as "1E0"; these write what people write.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "wire/json.hpp"

namespace davit::wire {

namespace {

void write_double(std::string& out, double number) {
  if (!std::isfinite(number)) {
    out += "null";  // as JavaScript does: JSON has no word for it
    return;
  }
  char digits[40];
  const bool whole = std::trunc(number) == number && std::abs(number) < 0x1p53;
  const auto end =
      whole ? std::to_chars(digits, digits + sizeof digits, static_cast<std::int64_t>(number))
            : std::to_chars(digits, digits + sizeof digits, number);
  out.append(digits, end.ptr);
}

void write_scalar(std::string& out, const json::value& value) {
  if (const double* number = value.if_double()) {
    write_double(out, *number);
  } else {
    out += json::serialize(value);
  }
}

void write_canonical(std::string& out, const json::value& value) {
  if (const json::array* array = value.if_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i != 0) out += ',';
      write_canonical(out, (*array)[i]);
    }
    out += ']';
  } else if (const json::object* object = value.if_object()) {
    std::vector<const json::key_value_pair*> members;
    members.reserve(object->size());
    for (const auto& member : *object) members.push_back(&member);
    std::ranges::sort(members, {}, [](const auto* member) {
      return std::string_view(member->key().data(), member->key().size());
    });
    out += '{';
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (i != 0) out += ',';
      out += json::serialize(members[i]->key());
      out += ':';
      write_canonical(out, members[i]->value());
    }
    out += '}';
  } else {
    write_scalar(out, value);
  }
}

void write_pretty(std::string& out, const json::value& value, std::size_t indent) {
  const auto line = [&out](std::size_t columns) {
    out += '\n';
    out.append(columns, ' ');
  };
  const json::array* array = value.if_array();
  const json::object* object = value.if_object();
  if (array != nullptr && !array->empty()) {
    out += '[';
    for (std::size_t i = 0; i < array->size(); ++i) {
      if (i != 0) out += ',';
      line(indent + 2);
      write_pretty(out, (*array)[i], indent + 2);
    }
    line(indent);
    out += ']';
  } else if (object != nullptr && !object->empty()) {
    out += '{';
    bool first = true;
    for (const auto& member : *object) {
      if (!std::exchange(first, false)) out += ',';
      line(indent + 2);
      out += json::serialize(member.key());
      out += ": ";
      write_pretty(out, member.value(), indent + 2);
    }
    line(indent);
    out += '}';
  } else {
    write_scalar(out, value);
  }
}

}  // namespace

std::string canonical(const json::value& value) {
  std::string out;
  write_canonical(out, value);
  return out;
}

std::string pretty(const json::value& value) {
  std::string out;
  write_pretty(out, value, 0);
  out += '\n';
  return out;
}

}  // namespace davit::wire
