// What the server makes of an object when it reads it.
#include <fmt/format.h>

#include <algorithm>

#include "sim/field_walk.hpp"
#include "sim/schema.hpp"
#include "sim/schema_path.hpp"
#include "wire/quantity.hpp"

namespace davit::sim {

namespace {

struct Decoder {
  Decoded result;

  static std::string_view json_type(const json::value& value) {
    if (value.is_object()) return "object";
    if (value.is_array()) return "array";
    if (value.is_string()) return "string";
    return value.is_bool() ? "bool" : "number";
  }

  // Of a built-in kind: Go refuses what does not fit.
  void fit(const Shape& shape, const json::value& value, const SchemaPath& path) {
    if (shape.custom || !result.mistyped.empty()) return;
    const char* wanted = nullptr;
    switch (shape.kind) {
      case ShapeKind::kObject:
        if (!value.is_object()) wanted = shape.values ? "map[string]string" : "struct";
        break;
      case ShapeKind::kList:
        if (!value.is_array()) wanted = "[]";
        break;
      case ShapeKind::kString:
        if (!value.is_string()) wanted = "string";
        break;
      case ShapeKind::kBoolean:
        if (!value.is_bool()) wanted = "bool";
        break;
      case ShapeKind::kInteger:
        if (!value.is_int64() && !value.is_uint64()) {
          wanted = shape.bounds && shape.bounds->format == "int32" ? "int32" : "int64";
        }
        break;
      case ShapeKind::kQuantity:
        if (!wire::Quantity::parse(value)) {
          result.mistyped =
              "quantities must match the regular expression "
              "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
        }
        break;
      case ShapeKind::kIntOrString:
      case ShapeKind::kNumber:
      case ShapeKind::kAny:
        break;
    }
    if (!wanted) return;
    result.mistyped = fmt::format("json: cannot unmarshal {} into Go struct field {} of type {}",
                                  json_type(value), path.text(), wanted);
  }

  void object(const Shape& shape, json::object& value, const json::object* before,
              const SchemaPath& path) {
    std::vector<std::string> doomed;
    for (auto& [name, below] : value) {
      const ShapeMember* member = shape.member(name);
      const Shape* at = member ? member->shape : shape.below(name);
      if (!at) {
        result.unknown.push_back(SchemaPath{&path, name}.text());
        doomed.emplace_back(name);
        continue;
      }
      if (below.is_null()) {
        const bool kept = shape.custom && (at->nullable || at == &Shapes::any());
        if (!kept) doomed.emplace_back(name);
        continue;
      }
      const json::value* old = before ? before->if_contains(name) : nullptr;
      if (old && *old == below) continue;
      decode(*at, below, old, {&path, name});
      // Go leaves out what is empty, unless the type insists.
      const bool empty = (below.is_array() && below.as_array().empty()) ||
                         (below.is_object() && below.as_object().empty() && at->is_free_map());
      if (empty && !shape.custom && member && !member->always) doomed.emplace_back(name);
    }
    for (const std::string& name : doomed) value.erase(name);
    for (const ShapeMember& member : shape.members) {
      if (!member.fallback.is_null() && !value.contains(member.name)) {
        json::value fallback = member.fallback;
        decode(*member.shape, fallback, nullptr, {&path, member.name});
        value[member.name] = std::move(fallback);
      } else if (!member.zero.is_null() && member.name != "metadata" &&
                 !value.contains(member.name)) {
        json::value zero = member.zero;
        decode(*member.shape, zero, nullptr, {&path, member.name});
        value[member.name] = std::move(zero);
      }
    }
  }

  void decode(const Shape& shape, json::value& value, const json::value* old,
              const SchemaPath& path) {
    fit(shape, value, path);
    if (shape.kind == ShapeKind::kQuantity) {
      if (const auto quantity = wire::Quantity::parse(value)) value = quantity->to_string();
    } else if (value.is_object()) {
      if (shape.kind == ShapeKind::kAny || (shape.members.empty() && shape.keeps_unknown)) return;
      object(shape, value.as_object(), old ? old->if_object() : nullptr, path);
    } else if (value.is_array() && shape.items) {
      json::array& list = value.as_array();
      const json::array* before = old ? old->if_array() : nullptr;
      for (std::size_t i = 0; i < list.size(); ++i) {
        const json::value* there = before && i < before->size() ? &(*before)[i] : nullptr;
        if (there && *there == list[i]) continue;
        decode(*shape.items, list[i], there, {&path, {}, i, true});
      }
    }
  }
};

// ".spec.containers[name=\"a\"]" while structured-merge-diff types a configuration.
std::string problem_in(const Shape& shape, const json::value& value, const std::string& path);

std::string problem_in_object(const Shape& shape, const json::object& object,
                              const std::string& path) {
  for (const auto& [name, below] : object) {
    const Shape* at = shape.below(name);
    std::string here = path + "." + std::string(name);
    if (!at) return here + ": field not declared in schema";
    std::string problem = problem_in(*at, below, here);
    if (!problem.empty()) return problem;
  }
  return {};
}

// A scalar where the schema wants another one, as Go prints it.
std::string scalar_problem(const Shape& shape, const json::value& value, const std::string& path) {
  if (value.is_null()) return {};
  const char* wanted = nullptr;
  if (shape.kind == ShapeKind::kString && !value.is_string()) wanted = "string";
  if (shape.kind == ShapeKind::kBoolean && !value.is_bool()) wanted = "boolean";
  if ((shape.kind == ShapeKind::kInteger || shape.kind == ShapeKind::kNumber) &&
      !value.is_number()) {
    wanted = "numeric (int or float)";
  }
  if (shape.kind == ShapeKind::kList && !value.is_array()) wanted = "list";
  if (shape.kind == ShapeKind::kObject && !value.is_object()) wanted = "map";
  if (!wanted) return {};
  std::string printed = json::serialize(value);
  if (value.is_object()) printed = "map[string]interface {}{…}";
  if (value.is_array()) printed = "[]interface {}{…}";
  return fmt::format("{}: expected {}, got &value.valueUnstructured{{Value:{}}}", path, wanted,
                     printed);
}

std::string problem_in(const Shape& shape, const json::value& value, const std::string& path) {
  if (std::string problem = scalar_problem(shape, value, path); !problem.empty()) return problem;
  if (value.is_object() && shape.kind != ShapeKind::kAny) {
    if (shape.members.empty() && shape.keeps_unknown) return {};
    return problem_in_object(shape, value.as_object(), path);
  }
  if (!value.is_array() || !shape.items || shape.list == ListKind::kAtomic) return {};
  const json::array& list = value.as_array();
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (shape.list == ListKind::kMap && list[i].is_object()) {
      for (std::size_t k = 0; k < shape.keys.size(); ++k) {
        if (list[i].as_object().contains(shape.keys[k]) || !shape.key_defaults[k].is_null()) {
          continue;
        }
        if (shape.keys.size() > 1) continue;  // one key of several may be absent
        return fmt::format(
            "{}: element {}: associative list with keys has an element that omits key field \"{}\" "
            "(and doesn't have default value)",
            path, i, shape.keys[k]);
      }
    }
    const std::string element = item_element(list[i], shape);
    const std::string at = path + describe({element});
    for (std::size_t j = 0; j < i; ++j) {
      if (same_item(list[i], list[j], shape)) {
        return fmt::format("{}: duplicate entries for key {}", path, describe({element}));
      }
    }
    std::string problem = problem_in(*shape.items, list[i], at);
    if (!problem.empty()) return problem;
  }
  return {};
}

}  // namespace

Decoded decode(const Shape& shape, json::object& object, const json::object* before) {
  Decoder decoder;
  const SchemaPath root;
  decoder.object(shape, object, before, root);
  return std::move(decoder.result);
}

std::string typing_problem(const Shape& shape, const json::object& object) {
  return problem_in_object(shape, object, "");
}

}  // namespace davit::sim
