// From OpenAPI v3 schemas (of CRDs, and of Kubernetes' own specification) to shapes.
#include <algorithm>

#include "sim/schemas/shape.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kReference = "#/components/schemas/";

// The schema behind the wrapping that the specification gives a reference with a default.
const json::object& unwrapped(const json::object& schema) {
  const json::array* all = wire::find_array(schema, "allOf");
  if (all && all->size() == 1 && (*all)[0].is_object() && (*all)[0].as_object().contains("$ref")) {
    return (*all)[0].as_object();
  }
  return schema;
}

// Go's zero values are no defaults.
bool is_zero(const json::value& value) {
  return value.is_null() || (value.is_object() && value.as_object().empty()) ||
         (value.is_string() && value.as_string().empty()) ||
         (value.is_bool() && !value.as_bool()) ||
         (value.is_number() && value.to_number<double>() == 0);
}

std::string text_of(const json::object& schema, std::string_view name) {
  return std::string(wire::find_string(schema, name));
}

std::unique_ptr<const Bounds> bounds_of(const json::object& schema) {
  static constexpr std::string_view kNames[] = {
      "enum",     "minimum", "maximum",       "minLength",     "maxLength", "minItems",
      "maxItems", "pattern", "minProperties", "maxProperties", "format"};
  if (std::ranges::none_of(kNames, [&](std::string_view name) { return schema.contains(name); })) {
    return nullptr;
  }
  auto bounds = std::make_unique<Bounds>();
  if (const json::array* one_of = wire::find_array(schema, "enum")) bounds->one_of = *one_of;
  const auto number = [&](std::string_view name) -> std::optional<double> {
    const json::value* value = schema.if_contains(name);
    return value && value->is_number() ? std::optional(value->to_number<double>()) : std::nullopt;
  };
  bounds->minimum = number("minimum");
  bounds->maximum = number("maximum");
  bounds->exclusive_minimum = wire::find_bool(schema, "exclusiveMinimum", false);
  bounds->exclusive_maximum = wire::find_bool(schema, "exclusiveMaximum", false);
  bounds->min_length = wire::find_int(schema, "minLength");
  bounds->max_length = wire::find_int(schema, "maxLength");
  bounds->min_items = wire::find_int(schema, "minItems");
  bounds->max_items = wire::find_int(schema, "maxItems");
  bounds->min_members = wire::find_int(schema, "minProperties");
  bounds->max_members = wire::find_int(schema, "maxProperties");
  bounds->format = wire::find_string(schema, "format");
  if (std::string pattern = text_of(schema, "pattern"); !pattern.empty()) {
    bounds->pattern = std::make_shared<const Pattern>(std::move(pattern));
  }
  return bounds;
}

ShapeKind kind_of(const json::object& schema) {
  if (wire::find_bool(schema, "x-kubernetes-int-or-string", false)) return ShapeKind::kIntOrString;
  const std::string_view type = wire::find_string(schema, "type");
  if (type == "object") return ShapeKind::kObject;
  if (type == "array") return ShapeKind::kList;
  if (type == "string") return ShapeKind::kString;
  if (type == "boolean") return ShapeKind::kBoolean;
  if (type == "integer") return ShapeKind::kInteger;
  if (type == "number") return ShapeKind::kNumber;
  return schema.contains("properties") ? ShapeKind::kObject : ShapeKind::kAny;
}

std::vector<ShapeRule> rules_of(const json::object& schema) {
  std::vector<ShapeRule> rules;
  const json::array* list = wire::find_array(schema, "x-kubernetes-validations");
  for (const json::value& value : list ? *list : json::array()) {
    const json::object& entry = value.as_object();
    ShapeRule rule{text_of(entry, "rule"), text_of(entry, "message"), text_of(entry, "reason"),
                   text_of(entry, "fieldPath"), false};
    rule.transition = rule.cel.find("oldSelf") != std::string::npos;
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace

const Shape* Shapes::compile_custom(const json::object& schema, const Shape* metadata) {
  definitions_ = nullptr;
  custom_ = true;
  Shape& root = shapes_.emplace_back();
  fill(root, schema);
  root.kind = ShapeKind::kObject;
  if (schema.empty()) root.keeps_unknown = true;
  static const Shape kText = [] {
    Shape text;
    text.kind = ShapeKind::kString;
    return text;
  }();
  for (const auto& [name, shape] : {std::pair<const char*, const Shape*>("apiVersion", &kText),
                                    {"kind", &kText},
                                    {"metadata", metadata}}) {
    std::erase_if(root.members, [&](const ShapeMember& member) { return member.name == name; });
    ShapeMember own;
    own.name = name;
    own.element = "f:" + own.name;
    own.shape = shape;
    own.always = true;
    root.members.push_back(std::move(own));
  }
  std::ranges::sort(root.members, {}, &ShapeMember::name);
  return &root;
}

const Shape* Shapes::compile_definition(const std::string& name, const json::object& definitions) {
  definitions_ = &definitions;
  custom_ = false;
  return reference(std::string(kReference) + name);
}

const Shape* Shapes::child(const json::object& schema) {
  const json::object& inner = unwrapped(schema);
  if (const std::string_view target = wire::find_string(inner, "$ref"); !target.empty()) {
    return reference(target);
  }
  Shape& shape = shapes_.emplace_back();
  fill(shape, inner);
  return &shape;
}

const Shape* Shapes::reference(std::string_view target) {
  const std::string_view name = target.substr(std::min(kReference.size(), target.size()));
  if (const auto known = named_.find(name); known != named_.end()) return known->second;
  const json::value* schema = definitions_ ? definitions_->if_contains(name) : nullptr;
  if (!schema) return &any();
  Shape& shape = shapes_.emplace_back();
  named_.emplace(name, &shape);  // before its members, which may refer to it
  if (name.ends_with(".resource.Quantity")) {
    shape.kind = ShapeKind::kQuantity;
  } else if (name.ends_with(".intstr.IntOrString")) {
    shape.kind = ShapeKind::kIntOrString;
  } else {
    fill(shape, schema->as_object());
  }
  return &shape;
}

void Shapes::fill(Shape& shape, const json::object& schema) {
  shape.custom = custom_;
  shape.kind = kind_of(schema);
  shape.nullable = wire::find_bool(schema, "nullable", false);
  shape.atomic_map = wire::find_string(schema, "x-kubernetes-map-type") == "atomic";
  shape.keeps_unknown = wire::find_bool(schema, "x-kubernetes-preserve-unknown-fields", false) ||
                        wire::find_bool(schema, "x-kubernetes-embedded-resource", false) ||
                        wire::find_bool(schema, "additionalProperties", false);
  shape.bounds = bounds_of(schema);
  shape.rules = rules_of(schema);
  for (const ShapeRule& rule : shape.rules) rules_.insert(rule.cel);
  const std::string_view strategy = wire::find_string(schema, "x-kubernetes-patch-strategy");
  shape.merges = strategy.find("merge") != std::string_view::npos;
  shape.replaces = strategy.find("retainKeys") != std::string_view::npos;
  shape.merge_key = wire::find_string(schema, "x-kubernetes-patch-merge-key");
  fill_members(shape, schema);
  if (shape.kind == ShapeKind::kList) fill_list(shape, schema);
  if (const auto* values = wire::find_object(schema, "additionalProperties")) {
    shape.values = child(*values);
  }
  // The server's own open types (FieldsV1, RawExtension) declare nothing.
  if (!custom_ && shape.kind == ShapeKind::kObject && shape.members.empty() && !shape.values) {
    shape.keeps_unknown = true;
  }
}

void Shapes::fill_members(Shape& shape, const json::object& schema) {
  const json::object* properties = wire::find_object(schema, "properties");
  if (!properties) return;
  const json::array* required = wire::find_array(schema, "required");
  for (const auto& [name, value] : *properties) {
    const json::object& property = value.as_object();
    ShapeMember member;
    member.name = name;
    member.element = "f:" + member.name;
    member.shape = child(property);
    member.required =
        required && std::ranges::find(*required, json::value(name)) != required->end();
    const json::value* fallback = property.if_contains("default");
    if (fallback && (custom_ || !is_zero(*fallback))) member.fallback = *fallback;
    if (fallback && !custom_ && is_zero(*fallback)) member.zero = *fallback;
    member.always = !custom_ && (fallback != nullptr || member.required);
    shape.members.push_back(std::move(member));
  }
  std::ranges::sort(shape.members, {}, &ShapeMember::name);
}

void Shapes::fill_list(Shape& shape, const json::object& schema) {
  const json::object* items = wire::find_object(schema, "items");
  shape.items = items ? child(*items) : &any();
  const std::string_view type = wire::find_string(schema, "x-kubernetes-list-type");
  if (type == "set") shape.list = ListKind::kSet;
  if (type == "map") shape.list = ListKind::kMap;
  const json::array* keys = wire::find_array(schema, "x-kubernetes-list-map-keys");
  for (const json::value& key : keys ? *keys : json::array()) {
    shape.keys.emplace_back(key.as_string());
    const ShapeMember* member = shape.items->member(shape.keys.back());
    const bool zero = member && member->fallback.is_null();
    shape.key_defaults.push_back(zero ? member->zero : member ? member->fallback : json::value());
  }
}

}  // namespace davit::sim
