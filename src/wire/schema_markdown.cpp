#include "wire/schema_markdown.hpp"

#include <fmt/format.h>

#include "wire/schema_openapi.hpp"

namespace davit::wire {

namespace {

// The struct a field holds, directly or in a list or map; null: none.
const Struct* struct_of(const Type& type) {
  if (type.kind == Kind::kStruct) return &type.structure();
  return type.item != nullptr ? struct_of(*type.item) : nullptr;
}

std::string step(const Field& field) {
  if (field.type->kind == Kind::kList) return fmt::format("{}[]", field.spec.name);
  return field.type->kind == Kind::kMap ? fmt::format("{}[key]", field.spec.name)
                                        : std::string(field.spec.name);
}

// "A B" as "`A`, `B`".
std::string choices(std::string_view words) {
  std::string out = "`";
  for (const char c : words) out += c == ' ' ? std::string("`, `") : std::string(1, c);
  return out + "`";
}

}  // namespace

std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '*') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string reference(const Struct& table, std::string_view path) {
  std::string out =
      fmt::format("\n## {}\n\n{}\n\n| field | type | meaning |\n|---|---|---|\n", path, table.text);
  for (const Field& field : table.fields) {
    std::string meaning = markdown_cell(description(field, table));
    if (!field.spec.one_of.empty())
      meaning += fmt::format(" One of {}.", choices(field.spec.one_of));
    out += fmt::format("| `{}` | {} | {} |\n", field.spec.name, type_name(field), meaning);
  }
  for (const Field& field : table.fields) {
    if (const Struct* inner = struct_of(*field.type)) {
      out += reference(*inner, fmt::format("{}.{}", path, step(field)));
    }
  }
  return out;
}

}  // namespace davit::wire
