#include "sim/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

namespace davit::sim {

namespace {

struct Checker {
  SchemaReport report;

  void refuse(const char* reason, const std::string& path, std::string message) {
    report.causes.push_back({reason, std::move(message), path});
  }

  void wrong_value(const std::string& path, const json::value& value, const std::string& must) {
    refuse("FieldValueInvalid", path,
           fmt::format("Invalid value: {}: {} in body {}", json::serialize(value), path, must));
  }

  void object(const json::object& schema, json::object& value, const std::string& path) {
    const json::object* properties = wire::find_object(schema, "properties");
    const json::object* others = wire::find_object(schema, "additionalProperties");
    const bool keeps = wire::find_bool(schema, "x-kubernetes-preserve-unknown-fields", false) ||
                       others || wire::find_bool(schema, "x-kubernetes-embedded-resource", false) ||
                       wire::find_bool(schema, "additionalProperties", false);
    if (properties) {
      for (const auto& [name, property] : *properties) {
        const json::value* fallback = property.as_object().if_contains("default");
        const json::value* there = value.if_contains(name);
        const bool nullable = wire::find_bool(property.as_object(), "nullable", false);
        if (there && there->is_null() && !nullable) {
          value.erase(name);
          there = nullptr;
        }
        if (!there && fallback) value[name] = *fallback;
      }
    }
    std::vector<std::string> names;
    for (const auto& [name, below] : value) names.emplace_back(name);
    for (const std::string& name : names) {
      const std::string at = path.empty() ? name : path + "." + name;
      const json::value* property = properties ? properties->if_contains(name) : nullptr;
      if (property) {
        check(property->as_object(), value[name], at);
      } else if (others) {
        check(*others, value[name], at);
      } else if (!keeps) {
        report.unknown.push_back(at);
        value.erase(name);
      }
    }
    if (const json::array* required = wire::find_array(schema, "required")) {
      for (const json::value& name : *required) {
        if (value.contains(name.as_string())) continue;
        const std::string at =
            (path.empty() ? "" : path + ".") + std::string(std::string_view(name.as_string()));
        refuse("FieldValueRequired", at, "Required value");
      }
    }
    const auto count = static_cast<std::int64_t>(value.size());
    if (const auto most = wire::find_int(schema, "maxProperties"); most && count > *most) {
      refuse("FieldValueTooMany", path,
             fmt::format("Too many: {}: must have at most {} items", count, *most));
    }
  }

  void list(const json::object& schema, json::array& value, const std::string& path) {
    const auto count = static_cast<std::int64_t>(value.size());
    if (const auto most = wire::find_int(schema, "maxItems"); most && count > *most) {
      refuse("FieldValueTooMany", path,
             fmt::format("Too many: {}: must have at most {} items", count, *most));
    }
    if (const auto least = wire::find_int(schema, "minItems"); least && count < *least) {
      wrong_value(path, value, fmt::format("should have at least {} items", *least));
    }
    const json::object* items = wire::find_object(schema, "items");
    for (std::size_t i = 0; items && i < value.size(); ++i) {
      check(*items, value[i], fmt::format("{}[{}]", path, i));
    }
    duplicates(schema, value, path);
  }

  void duplicates(const json::object& schema, const json::array& value, const std::string& path) {
    const std::string_view type = wire::find_string(schema, "x-kubernetes-list-type");
    const json::array* keys = wire::find_array(schema, "x-kubernetes-list-map-keys");
    std::vector<std::string> seen;
    for (std::size_t i = 0; i < value.size() && (type == "map" || type == "set"); ++i) {
      json::value identity = value[i];
      if (type == "map" && keys && value[i].is_object()) {
        json::object parts;
        for (const json::value& key : *keys) {
          if (const auto* part = value[i].as_object().if_contains(key.as_string())) {
            parts[key.as_string()] = *part;
          }
        }
        identity = std::move(parts);
      }
      const std::string text = wire::canonical(identity);
      if (std::ranges::find(seen, text) != seen.end()) {
        refuse("FieldValueDuplicate", fmt::format("{}[{}]", path, i), "Duplicate value: " + text);
      }
      seen.push_back(text);
    }
  }

  void text(const json::object& schema, const json::value& value, const std::string& path) {
    const std::string content(value.as_string());
    // Length in characters, not bytes.
    const auto length = std::ranges::count_if(
        content, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
    if (const auto most = wire::find_int(schema, "maxLength"); most && length > *most) {
      refuse("FieldValueTooLong", path,
             fmt::format("Too long: may not be more than {} bytes", *most));
    }
    if (const auto least = wire::find_int(schema, "minLength"); least && length < *least) {
      wrong_value(path, value, fmt::format("should be at least {} chars long", *least));
    }
    const std::string pattern(wire::find_string(schema, "pattern"));
    if (pattern.empty()) return;
    try {
      if (!std::regex_search(content, std::regex(pattern))) {
        wrong_value(path, value, fmt::format("should match '{}'", pattern));
      }
    } catch (const std::regex_error&) {
      // Not a pattern that ECMAScript shares with RE2: not judged here.
    }
  }

  void number(const json::object& schema, const json::value& value, const std::string& path) {
    const double amount = value.to_number<double>();
    if (const json::value* least = schema.if_contains("minimum");
        least && amount < least->to_number<double>()) {
      wrong_value(path, value, "should be greater than or equal to " + json::serialize(*least));
    }
    if (const json::value* most = schema.if_contains("maximum");
        most && amount > most->to_number<double>()) {
      wrong_value(path, value, "should be less than or equal to " + json::serialize(*most));
    }
  }

  void check(const json::object& schema, json::value& value, const std::string& path) {
    if (value.is_null() && wire::find_bool(schema, "nullable", false)) return;
    if (wire::find_bool(schema, "x-kubernetes-int-or-string", false)) {
      if (!value.is_string() && !value.is_number()) {
        wrong_value(path, value, "must be of type integer or string");
      } else if (value.is_string()) {
        text(schema, value, path);
      }
      return;
    }
    const std::string_view type = wire::find_string(schema, "type");
    const bool fits = type.empty() || (type == "object" && value.is_object()) ||
                      (type == "array" && value.is_array()) ||
                      (type == "string" && value.is_string()) ||
                      (type == "boolean" && value.is_bool()) ||
                      (type == "integer" && (value.is_int64() || value.is_uint64())) ||
                      (type == "number" && value.is_number());
    if (!fits) {
      refuse("FieldValueTypeInvalid", path,
             fmt::format("Invalid value: {}: {} in body must be of type {}", json::serialize(value),
                         path, type));
      return;
    }
    const json::array* choices = wire::find_array(schema, "enum");
    if (choices && std::ranges::find(*choices, value) == choices->end()) {
      std::string list;
      for (const json::value& choice : *choices) {
        list += (list.empty() ? "" : ", ") + json::serialize(choice);
      }
      refuse(
          "FieldValueNotSupported", path,
          fmt::format("Unsupported value: {}: supported values: {}", json::serialize(value), list));
      return;
    }
    if (value.is_object()) object(schema, value.as_object(), path);
    if (value.is_array()) list(schema, value.as_array(), path);
    if (value.is_string()) text(schema, value, path);
    if (value.is_number()) number(schema, value, path);
  }
};

}  // namespace

SchemaReport apply_schema(const json::object& schema, json::object& object) {
  if (schema.empty()) return {};
  Checker checker;
  json::object own;
  for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
    if (const json::value* value = object.if_contains(name)) own[name] = *value;
    object.erase(name);
  }
  json::object body = schema;
  if (json::value* properties = body.if_contains("properties")) {
    for (const std::string_view name : {"apiVersion", "kind", "metadata"}) {
      properties->as_object().erase(name);
    }
  }
  checker.object(body, object, "");
  for (auto& [name, value] : own) object[name] = std::move(value);
  return std::move(checker.report);
}

}  // namespace davit::sim
