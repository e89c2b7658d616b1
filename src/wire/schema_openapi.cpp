#include "wire/schema_openapi.hpp"

#include <fmt/format.h>

namespace davit::wire {

namespace {

constexpr std::string_view kQuantityPattern =
    "^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$";  // apimachinery, resource/quantity.go
constexpr std::string_view kPercentPattern = "^(100|[0-9]{1,2})%$";

std::string_view pattern_of(const FieldSpec& spec) {
  if (!spec.pattern.empty()) return spec.pattern;
  if (spec.form == Form::kQuantity) return kQuantityPattern;
  return spec.form == Form::kPercent ? kPercentPattern : std::string_view{};
}

json::array words(std::string_view text) {
  json::array out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    out.push_back(json::string(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void add_text(json::object& schema, const FieldSpec& spec) {
  if (spec.form == Form::kText || spec.form == Form::kQuantity) {
    schema["x-kubernetes-int-or-string"] = true;
    schema["anyOf"] =
        json::array{json::object{{"type", "integer"}}, json::object{{"type", "string"}}};
  } else {
    schema["type"] = "string";
  }
  if (spec.form == Form::kTime) schema["format"] = "date-time";
  if (spec.min_length != 0) schema["minLength"] = spec.min_length;
  if (spec.max_length != 0) schema["maxLength"] = spec.max_length;
  if (const auto pattern = pattern_of(spec); !pattern.empty()) schema["pattern"] = pattern;
  if (!spec.one_of.empty()) schema["enum"] = words(spec.one_of);
}

void add_integer(json::object& schema, const FieldSpec& spec) {
  schema["type"] = "integer";
  schema["format"] = "int64";
  if (spec.minimum != kNoMinimum) schema["minimum"] = spec.minimum;
  if (spec.maximum != kNoMaximum) schema["maximum"] = spec.maximum;
}

json::object item_schema(const Type& type, const FieldSpec& spec);

void add_type(json::object& schema, const Type& type, const FieldSpec& spec) {
  switch (type.kind) {
    case Kind::kString:
      add_text(schema, spec);
      break;
    case Kind::kBoolean:
      schema["type"] = "boolean";
      break;
    case Kind::kInteger:
      spec.form == Form::kPercent ? add_text(schema, spec) : add_integer(schema, spec);
      break;
    case Kind::kList:
      schema["type"] = "array";
      schema["items"] = item_schema(*type.item, spec);
      if (spec.max_items != 0) schema["maxItems"] = spec.max_items;
      schema["x-kubernetes-list-type"] = !spec.list_key.empty() ? "map"
                                         : spec.set             ? "set"
                                                                : "atomic";
      if (!spec.list_key.empty()) {
        schema["x-kubernetes-list-map-keys"] = json::array{json::string(spec.list_key)};
      }
      break;
    case Kind::kMap:
      schema["type"] = "object";
      schema["additionalProperties"] = item_schema(*type.item, spec);
      if (spec.max_items != 0) schema["maxProperties"] = spec.max_items;
      break;
    case Kind::kStruct:
      for (auto& member : openapi(type.structure())) {
        if (member.key() != "description") schema[member.key()] = member.value();
      }
      break;
  }
}

json::object item_schema(const Type& type, const FieldSpec& spec) {
  json::object schema;
  add_type(schema, type, spec);
  if (type.kind == Kind::kStruct) schema["description"] = type.structure().text;
  return schema;
}

json::object rule_json(const Rule& rule) {
  json::object out{{"rule", rule.cel}, {"message", rule.message}};
  if (!rule.expression.empty()) out["messageExpression"] = rule.expression;
  return out;
}

json::array rules_of(const FieldSpec& spec) {
  json::array rules;
  if (!spec.immutable.empty()) {
    rules.push_back(
        rule_json({.cel = "self == oldSelf", .message = spec.immutable, .expression{}}));
  }
  for (const Rule& rule : {spec.rule, spec.second_rule}) {
    if (!rule.cel.empty()) rules.push_back(rule_json(rule));
  }
  return rules;
}

// "Allowed: 1 to 2."; empty without bounds.
std::string bounds(const Field& field) {
  const FieldSpec& spec = field.spec;
  std::string out;
  if (spec.minimum != kNoMinimum && spec.maximum != kNoMaximum) {
    out += fmt::format(" Allowed: {} to {}.", spec.minimum, spec.maximum);
  } else if (spec.minimum != kNoMinimum) {
    out += fmt::format(" Minimum: {}.", spec.minimum);
  }
  if (spec.max_items != 0) out += fmt::format(" At most {} entries.", spec.max_items);
  if (spec.max_length != 0 && spec.one_of.empty()) {
    out += fmt::format(" At most {} characters{}.", spec.max_length,
                       field.type->item != nullptr ? " each" : "");
  }
  return out;
}

}  // namespace

json::value default_of(const Field& field, const Struct& table) {
  json::value value;
  if (!field.type->write(field.view(table.fresh()), value, field.spec.form)) return nullptr;
  return value;
}

std::string description(const Field& field, const Struct& table) {
  const FieldSpec& spec = field.spec;
  std::string out(spec.text);
  if (!spec.unit.empty()) out += fmt::format(" Unit: {}.", spec.unit);
  if (spec.required) {
    out += " Required.";
  } else if (spec.defaulted && field.type->kind != Kind::kStruct) {
    const json::value value = default_of(field, table);
    const json::string* text = value.if_string();
    out +=
        fmt::format(" Default: {}.", text != nullptr ? std::string(*text) : json::serialize(value));
  } else if (!spec.absent.empty()) {
    out += fmt::format(" Default: {}.", spec.absent);
  }
  out += bounds(field);
  if (!spec.immutable.empty()) out += " Cannot be changed.";
  if (!spec.source.empty()) out += fmt::format(" Source: {}.", spec.source);
  return out;
}

std::string type_name(const Field& field) {
  const auto scalar = [&](const Type& type) -> std::string {
    if (type.kind == Kind::kStruct) return std::string(type.structure().name);
    if (type.kind == Kind::kBoolean) return "boolean";
    switch (field.spec.form) {
      case Form::kQuantity:
      case Form::kSize:
        return "quantity";
      case Form::kPercent:
        return "percentage";
      case Form::kTime:
        return "time";
      case Form::kText:
        return "text or integer";
      case Form::kPlain:
        break;
    }
    return type.kind == Kind::kInteger ? "integer" : "text";
  };
  if (field.type->kind == Kind::kList) return "list of " + scalar(*field.type->item);
  if (field.type->kind == Kind::kMap) return "map of " + scalar(*field.type->item);
  return scalar(*field.type);
}

json::object openapi(const Struct& table) {
  json::object properties;
  json::array required;
  for (const Field& field : table.fields) {
    json::object schema{{"description", description(field, table)}};
    add_type(schema, *field.type, field.spec);
    if (field.spec.defaulted) {
      // Nested defaults fill themselves in under an empty object.
      schema["default"] =
          field.type->kind == Kind::kStruct ? json::object{} : default_of(field, table);
    }
    if (json::array rules = rules_of(field.spec); !rules.empty()) {
      schema["x-kubernetes-validations"] = std::move(rules);
    }
    properties[field.spec.name] = std::move(schema);
    if (field.spec.required) required.push_back(json::string(field.spec.name));
  }
  json::object out{
      {"description", table.text}, {"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) out["required"] = std::move(required);
  return out;
}

}  // namespace davit::wire
