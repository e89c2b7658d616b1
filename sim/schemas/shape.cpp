#include "sim/schemas/shape.hpp"

#include <re2/re2.h>

#include <algorithm>

namespace davit::sim {

struct Pattern::Compiled {
  explicit Compiled(const std::string& pattern) : regex(pattern, re2::RE2::Quiet) {}
  re2::RE2 regex;
};

Pattern::Pattern(std::string pattern)
    : text(std::move(pattern)), compiled_(std::make_unique<Compiled>(text)) {}

Pattern::~Pattern() = default;

bool Pattern::matches(std::string_view value) const {
  return re2::RE2::PartialMatch(re2::StringPiece(value.data(), value.size()), compiled_->regex);
}

std::string Shape::type_name() const {
  switch (kind) {
    case ShapeKind::kObject:
      return "object";
    case ShapeKind::kList:
      return "array";
    case ShapeKind::kString:
      return "string";
    case ShapeKind::kBoolean:
      return "boolean";
    case ShapeKind::kInteger:
      return "integer";
    case ShapeKind::kNumber:
      return "number";
    case ShapeKind::kAny:
    case ShapeKind::kQuantity:
    case ShapeKind::kIntOrString:
      break;
  }
  return "";
}

const ShapeMember* Shape::member(std::string_view name) const {
  const auto at = std::ranges::lower_bound(members, name, {}, &ShapeMember::name);
  return at != members.end() && at->name == name ? &*at : nullptr;
}

const Shape* Shape::below(std::string_view name) const {
  if (const ShapeMember* found = member(name)) return found->shape;
  if (values) return values;
  return keeps_unknown ? &Shapes::any() : nullptr;
}

const Shape& Shapes::any() {
  static const Shape kAny = [] {
    Shape shape;
    shape.keeps_unknown = true;
    return shape;
  }();
  return kAny;
}

}  // namespace davit::sim
