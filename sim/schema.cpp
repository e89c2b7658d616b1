#include "sim/schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/field_walk.hpp"
#include "sim/schema_path.hpp"

namespace davit::sim {

namespace {

struct Checker {
  const RuleJudge* judge;
  std::vector<Cause> causes, rule_causes;
  bool blocked = false;  // rules are not judged then

  void refuse(const char* reason, const SchemaPath& path, std::string message) {
    causes.push_back({reason, std::move(message), path.text()});
  }
  void block(const char* reason, const SchemaPath& path, std::string message) {
    blocked = true;
    refuse(reason, path, std::move(message));
  }
  // Only the status subresource brings a status, and its body is the status.
  static std::string in_body(const SchemaPath& path) {
    std::string text = path.text();
    return text.starts_with("status.") ? text.substr(7) : text;
  }
  void wrong(const SchemaPath& path, const std::string& value, const std::string& must) {
    refuse("FieldValueInvalid", path,
           fmt::format("Invalid value: {}: {} in body {}", value, in_body(path), must));
  }
  void too_many(const SchemaPath& path, std::int64_t count, std::int64_t most) {
    block("FieldValueTooMany", path,
          fmt::format("Too many: {}: must have at most {} item{}", count, most,
                      most == 1 ? "" : "s"));
  }

  void object(const Shape& shape, const json::value& whole, const json::value* old,
              const SchemaPath& path) {
    const json::object& value = whole.as_object();
    const json::object* before = old ? old->if_object() : nullptr;
    for (const ShapeMember& member : shape.members) {
      if (!member.required || value.contains(member.name)) continue;
      block("FieldValueRequired", {&path, member.name}, "Required value");
    }
    for (const auto& [name, below] : value) {
      const Shape* at = shape.below(name);
      if (at) value_at(*at, below, before ? before->if_contains(name) : nullptr, {&path, name});
    }
    if (!shape.bounds) return;
    const auto count = static_cast<std::int64_t>(value.size());
    if (const auto most = shape.bounds->max_members; most && count > *most) {
      too_many(path, count, *most);
    }
    if (const auto least = shape.bounds->min_members; least && count < *least) {
      wrong(path, printed(whole), fmt::format("should have at least {} properties", *least));
    }
  }

  void list(const Shape& shape, const json::value& whole, const json::value* old,
            const SchemaPath& path) {
    const json::array& value = whole.as_array();
    const json::array* before = old ? old->if_array() : nullptr;
    const auto count = static_cast<std::int64_t>(value.size());
    if (shape.bounds && shape.bounds->max_items && count > *shape.bounds->max_items) {
      too_many(path, count, *shape.bounds->max_items);
    }
    if (shape.bounds && shape.bounds->min_items && count < *shape.bounds->min_items) {
      wrong(path, std::to_string(count),
            fmt::format("should have at least {} items", *shape.bounds->min_items));
    }
    for (std::size_t i = 0; i < value.size(); ++i) {
      const json::value* same = nullptr;
      for (std::size_t j = 0; before && shape.list == ListKind::kMap && j < before->size(); ++j) {
        if (same_item((*before)[j], value[i], shape)) same = &(*before)[j];
      }
      value_at(*shape.items, value[i], same, {&path, {}, i, true});
    }
    if (shape.list != ListKind::kAtomic) duplicates(shape, value, path);
  }

  void duplicates(const Shape& shape, const json::array& value, const SchemaPath& path) {
    for (std::size_t i = 1; i < value.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (!same_item(value[i], value[j], shape)) continue;
        const std::string element = item_element(value[i], shape);
        refuse("FieldValueDuplicate", {&path, {}, i, true},
               "Duplicate value: " + element.substr(2));
        break;
      }
    }
  }

  void text(const Shape& shape, const json::value& value, const SchemaPath& path) {
    const std::string_view content = value.as_string();
    // Length in characters, not bytes.
    const auto length = std::ranges::count_if(
        content, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    const Bounds& bounds = *shape.bounds;
    if (bounds.max_length && length > *bounds.max_length) {
      block("FieldValueTooLong", path,
            fmt::format("Too long: may not be more than {} byte{}", *bounds.max_length,
                        *bounds.max_length == 1 ? "" : "s"));
    } else if (bounds.min_length && length < *bounds.min_length) {
      wrong(path, printed(value),
            fmt::format("should be at least {} chars long", *bounds.min_length));
    } else if (bounds.pattern && !bounds.pattern->matches(content)) {
      wrong(path, printed(value), fmt::format("should match '{}'", bounds.pattern->text));
    }
  }

  void number(const Shape& shape, const json::value& value, const SchemaPath& path) {
    const double amount = value.to_number<double>();
    const Bounds& bounds = *shape.bounds;
    if (bounds.minimum &&
        (amount < *bounds.minimum || (bounds.exclusive_minimum && amount == *bounds.minimum))) {
      wrong(path, printed(value),
            fmt::format("should be greater than {}{}",
                        bounds.exclusive_minimum ? "" : "or equal to ", *bounds.minimum));
    }
    if (bounds.maximum &&
        (amount > *bounds.maximum || (bounds.exclusive_maximum && amount == *bounds.maximum))) {
      wrong(path, printed(value),
            fmt::format("should be less than {}{}", bounds.exclusive_maximum ? "" : "or equal to ",
                        *bounds.maximum));
    }
  }

  static std::string type_of(const json::value& value) {
    if (value.is_object()) return "object";
    if (value.is_array()) return "array";
    if (value.is_string()) return "string";
    if (value.is_bool()) return "boolean";
    if (value.is_double()) return "number";
    return value.is_null() ? "null" : "integer";
  }

  static bool fits(const Shape& shape, const json::value& value) {
    switch (shape.kind) {
      case ShapeKind::kObject:
        return value.is_object();
      case ShapeKind::kList:
        return value.is_array();
      case ShapeKind::kString:
        return value.is_string();
      case ShapeKind::kBoolean:
        return value.is_bool();
      case ShapeKind::kInteger:
        return value.is_int64() || value.is_uint64();
      case ShapeKind::kNumber:
        return value.is_number();
      case ShapeKind::kIntOrString:
        return value.is_string() || value.is_int64() || value.is_uint64();
      case ShapeKind::kAny:
      case ShapeKind::kQuantity:
        break;
    }
    return true;
  }

  void choices(const Shape& shape, const json::value& value, const SchemaPath& path) {
    if (std::ranges::find(shape.bounds->one_of, value) != shape.bounds->one_of.end()) return;
    std::string list;
    for (const json::value& choice : shape.bounds->one_of) {
      const std::string text =
          choice.is_string() ? std::string(choice.as_string()) : json::serialize(choice);
      list += (list.empty() ? "" : ", ") + json::serialize(json::string(text));
    }
    block("FieldValueNotSupported", path,
          fmt::format("Unsupported value: {}: supported values: {}", printed(value), list));
  }

  void rules(const Shape& shape, const json::value& value, const json::value* old,
             const SchemaPath& path) {
    for (const ShapeRule& rule : shape.rules) {
      if (!judge || !*judge || (rule.transition && !old)) continue;
      auto broken = (*judge)(rule, value, old);
      if (!broken) continue;
      const bool whole = shape.kind == ShapeKind::kObject || shape.kind == ShapeKind::kList;
      std::string message = whole ? "Invalid value: " + *broken
                                  : fmt::format("Invalid value: {}: {}", printed(value), *broken);
      const char* reason = "FieldValueInvalid";
      if (rule.reason == "FieldValueForbidden" || rule.reason == "FieldValueRequired") {
        const bool forbidden = rule.reason == "FieldValueForbidden";
        reason = forbidden ? "FieldValueForbidden" : "FieldValueRequired";
        message = (forbidden ? "Forbidden: " : "Required value: ") + *broken;
      }
      rule_causes.push_back({reason, std::move(message), path.text() + rule.field_path});
    }
  }

  void value_at(const Shape& shape, const json::value& value, const json::value* old,
                const SchemaPath& path) {
    if (!shape.custom) return;
    if (old && *old == value) return;
    if (value.is_null() && shape.nullable) return;
    if (!fits(shape, value)) {
      const std::string must =
          shape.kind == ShapeKind::kIntOrString ? "integer,string" : shape.type_name();
      block("FieldValueTypeInvalid", path,
            fmt::format("Invalid value: \"{0}\": {1} in body must be of type {2}: \"{0}\"",
                        type_of(value), in_body(path), must));
      return;
    }
    if (value.is_object()) object(shape, value, old, path);
    if (value.is_array()) list(shape, value, old, path);
    if (shape.bounds) {
      if (!shape.bounds->one_of.empty()) choices(shape, value, path);
      if (value.is_string()) text(shape, value, path);
      if (value.is_number()) number(shape, value, path);
    }
    rules(shape, value, old, path);
  }
};

}  // namespace

std::string printed(const json::value& value) { return json::serialize(value); }

std::vector<Cause> check(const Shape& shape, const json::object& object, const json::object* before,
                         const RuleJudge& judge) {
  Checker checker{&judge, {}, {}};
  const SchemaPath root;
  for (const ShapeMember& member : shape.members) {
    if (member.required && !object.contains(member.name)) {
      checker.block("FieldValueRequired", {&root, member.name}, "Required value");
    }
  }
  for (const auto& [name, value] : object) {
    if (const Shape* at = shape.below(name)) {
      checker.value_at(*at, value, before ? before->if_contains(name) : nullptr, {&root, name});
    }
  }
  if (!checker.blocked) {
    std::ranges::move(checker.rule_causes, std::back_inserter(checker.causes));
  } else {
    checker.causes.push_back({"FieldValueInvalid",
                              "Invalid value: null: some validation rules were not checked because "
                              "the object was invalid; correct the existing errors to complete "
                              "validation",
                              "<nil>"});
  }
  return std::move(checker.causes);
}

}  // namespace davit::sim
