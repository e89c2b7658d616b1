// SchemaPath: where a value stands, built on the stack while a walk descends and rendered only when
// something is wrong: "spec.parts[2].name", as the API server writes it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace davit::sim {

struct SchemaPath {
  const SchemaPath* parent = nullptr;
  std::string_view name{};
  std::size_t index = 0;
  bool is_item = false;

  [[nodiscard]] std::string text() const {
    std::string before = parent ? parent->text() : std::string();
    if (is_item) return before + "[" + std::to_string(index) + "]";
    if (name.empty()) return before;
    return before.empty() ? std::string(name) : before + "." + std::string(name);
  }
};

}  // namespace davit::sim
