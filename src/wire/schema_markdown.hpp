// The reference of a described struct as Markdown: a heading and a table for it and for each struct
// in it. Pure; any thread.
#pragma once

#include <string>

#include "wire/schema.hpp"

namespace davit::wire {

// `path`: where the struct stands in the object, "spec"; its heading.
[[nodiscard]] std::string reference(const Struct& table, std::string_view path);

// Text for one cell of a Markdown table.
[[nodiscard]] std::string markdown_cell(std::string_view text);

}  // namespace davit::wire
