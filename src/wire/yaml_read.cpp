#include <simdjson.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "wire/yaml.hpp"
#include "wire/yaml_scalar.hpp"

namespace davit::wire {

namespace {

constexpr int kMaxDepth = 64;
constexpr int kMaxValues = 500'000;
constexpr std::string_view kTagPrefix = "tag:yaml.org,2002:";

Error invalid(const YAML::Node& node, std::string_view what) {
  std::string message(what);
  if (const YAML::Mark mark = node.Mark(); mark.line >= 0) {
    message = "line " + std::to_string(mark.line + 1) + ": " + message;
  }
  return {Code::kInvalid, std::move(message)};
}

class Converter {
 public:
  Result<json::value> convert(const YAML::Node& node, int depth) {
    if (depth > kMaxDepth) return fail(invalid(node, "more than 64 levels"));
    if (++values_ > kMaxValues) return fail(invalid(node, "the document expands to too much"));
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        return json::value(nullptr);
      case YAML::NodeType::Scalar:
        return scalar(node);
      case YAML::NodeType::Sequence:
        return sequence(node, depth);
      case YAML::NodeType::Map:
        return map(node, depth);
    }
    return fail(invalid(node, "unknown kind of value"));
  }

 private:
  static Result<json::value> scalar(const YAML::Node& node) {
    std::string_view tag = node.Tag();
    const std::string& text = node.Scalar();
    if (tag == "!") return json::value(text);  // quoted or a block
    if (tag.starts_with(kTagPrefix)) {
      tag.remove_prefix(kTagPrefix.size());
      if (tag == "str") return json::value(text);
      constexpr std::string_view kPlain[] = {"int", "float", "bool", "null"};
      if (std::ranges::find(kPlain, tag) == std::end(kPlain)) tag = "?!";
    } else if (!tag.empty() && tag != "?") {
      tag = "?!";
    }
    if (tag == "?!") return fail(invalid(node, "the tag " + node.Tag() + " is not supported"));
    auto value = resolve_plain_scalar(text);
    if (!value) return fail(invalid(node, text + " cannot be written as JSON"));
    return std::move(*value);
  }

  Result<json::value> sequence(const YAML::Node& node, int depth) {
    json::array array;
    for (const YAML::Node& element : node) {
      auto value = convert(element, depth + 1);
      if (!value) return value;
      array.push_back(std::move(*value));
    }
    return json::value(std::move(array));
  }

  Result<json::value> map(const YAML::Node& node, int depth) {
    json::object object;
    json::object merged;  // what << brings: our own members win
    for (const auto& member : node) {
      if (!member.first.IsScalar()) return fail(invalid(member.first, "a key must be a scalar"));
      if (member.first.Tag() == "?" && member.first.Scalar() == "<<") {
        if (auto ok = merge(member.second, depth, merged); !ok) return fail(std::move(ok.error()));
        continue;
      }
      auto key = scalar(member.first);
      if (!key) return key;
      const std::string name = key->is_string() ? std::string(key->get_string()) : canonical(*key);
      if (object.contains(name))
        return fail(invalid(member.first, "the key " + name + " is doubled"));
      auto value = convert(member.second, depth + 1);
      if (!value) return value;
      object.emplace(name, std::move(*value));
    }
    for (auto& member : merged) object.emplace(member.key(), std::move(member.value()));
    return json::value(std::move(object));
  }

  Status merge(const YAML::Node& source, int depth, json::object& merged) {
    if (source.IsSequence()) {
      for (const YAML::Node& element : source) {
        if (!element.IsMap()) return fail(invalid(element, "<< takes maps"));
        if (auto ok = merge(element, depth, merged); !ok) return ok;
      }
      return {};
    }
    if (!source.IsMap()) return fail(invalid(source, "<< takes a map or a list of maps"));
    auto value = convert(source, depth + 1);
    if (!value) return fail(std::move(value.error()));
    for (auto& member : value->get_object()) {
      merged.emplace(member.key(), std::move(member.value()));
    }
    return {};
  }

  int values_ = 0;
};

bool has_control_character(std::string_view text) {
  return std::ranges::any_of(text, [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' && c != '\r') ||
           c == 0x7f;
  });
}

}  // namespace

Result<std::vector<json::value>> parse_yaml(std::string_view text) {
  if (!simdjson::validate_utf8(text.data(), text.size())) {
    return fail(Code::kInvalid, "the YAML is not UTF-8");
  }
  if (has_control_character(text)) {
    return fail(Code::kInvalid, "the YAML holds a control character");
  }
  std::vector<json::value> documents;
  // JSON is YAML in principle; its own parser is faster and takes the tabs that yaml-cpp refuses.
  if (text.starts_with('{') || text.starts_with('[')) {
    if (auto value = parse_json(text)) {
      documents.push_back(std::move(*value));
      return documents;
    }
  }
  try {
    for (const YAML::Node& node : YAML::LoadAll(std::string(text))) {
      if (!node.IsDefined() || node.IsNull()) continue;
      auto value = Converter().convert(node, 1);
      if (!value) return fail(std::move(value.error()));
      documents.push_back(std::move(*value));
    }
  } catch (const YAML::Exception& exception) {
    return fail(Code::kInvalid, std::string("not YAML: ") + exception.what());
  }
  return documents;
}

}  // namespace davit::wire
