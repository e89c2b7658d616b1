#include "sim/differential/normalise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace davit::sim::differential {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// "2026-01-02T03:04:05Z", with or without a fraction.
bool is_time(std::string_view text) {
  return text.size() >= 20 && text[4] == '-' && text[10] == 'T' && text[13] == ':' &&
         text.back() == 'Z' && is_digit(text[0]);
}

bool is_uid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash != (text[i] == '-') ||
        (!dash && !std::isxdigit(static_cast<unsigned char>(text[i])))) {
      return false;
    }
  }
  return true;
}

// What the API server made of generateName: the base and five letters.
bool is_generated(const json::object& metadata) {
  const std::string_view base = wire::find_string(metadata, "generateName");
  const std::string_view name = wire::find_string(metadata, "name");
  return !base.empty() && name.starts_with(base) && name.size() == base.size() + 5;
}

json::value sorted_managers(json::array fields) {
  std::ranges::sort(fields, {}, [](const json::value& entry) {
    const json::object* object = entry.if_object();
    if (!object) return std::string();
    return fmt::format("{} {} {} {}", wire::find_string(*object, "manager"),
                       wire::find_string(*object, "operation"),
                       wire::find_string(*object, "subresource"), wire::canonical(entry));
  });
  return fields;
}

}  // namespace

std::string Normaliser::symbol(std::string_view kind, std::string_view value) {
  const auto known = symbols_.find(value);
  if (known != symbols_.end()) return known->second;
  std::string name = fmt::format("<{} {}>", kind, ++counts_[std::string(kind)]);
  symbols_.emplace(std::string(value), name);
  return name;
}

// Where Go's decoder met a wrong type it names structs of its own code; a patch that leaves what
// cannot be read is answered with the whole object; storage keys are the real server's own.
std::string without_internals(std::string text) {
  const auto replace = [&](std::string_view from, std::string_view to, std::string_view by) {
    const std::size_t begin = text.find(from);
    if (begin == std::string::npos) return;
    const std::size_t inside = begin + from.size();
    const std::size_t end = to.empty() ? text.size() : text.find(to, inside);
    if (end != std::string::npos) text.replace(inside, end - inside, by);
  };
  replace("Go struct field ", " of type ", "<field>");
  if (text.contains("cannot unmarshal")) replace(" of type ", "", "<type>");
  replace(", Key: ", ", ", "<key>");
  constexpr std::string_view kObject = "Invalid value: \"{";
  if (const std::size_t begin = text.find(kObject); begin != std::string::npos) {
    const std::size_t end = text.find("}\": ", begin);
    if (end != std::string::npos) {
      text.replace(begin + kObject.size() - 1, end + 1 - (begin + kObject.size() - 1), "<object>");
    }
  }
  return text;
}

// Numbers in sentences about versions; uids and generated names anywhere.
std::string Normaliser::message(std::string raw) {
  const std::string text = without_internals(std::move(raw));
  const bool versions =
      text.contains("ersion:") || text.contains("ersion in") || text.contains("esource version");
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (i + 36 <= text.size() && is_uid(std::string_view(text).substr(i, 36))) {
      result += symbol("uid", std::string_view(text).substr(i, 36));
      i += 36;
    } else if (versions && is_digit(text[i]) &&
               (i == 0 || !std::isalnum(static_cast<unsigned char>(text[i - 1])))) {
      std::size_t end = i;
      while (end < text.size() && is_digit(text[end])) ++end;
      const auto known = symbols_.find(std::string_view(text).substr(i, end - i));
      result += known != symbols_.end() ? known->second : "<number>";
      i = end;
    } else {
      result += text[i++];
    }
  }
  for (const auto& [value, name] : symbols_) {
    if (!name.starts_with("<generated") && !name.starts_with("<address")) continue;
    for (std::size_t at = result.find(value); at != std::string::npos;
         at = result.find(value, at + name.size())) {
      result.replace(at, value.size(), name);
    }
  }
  return result;
}

std::string Normaliser::text(std::string_view text, std::string_view key) {
  if (text.empty()) return {};
  if (is_time(text)) return text.contains('.') ? "<time with fraction>" : "<time>";
  if (key == "uid" && is_uid(text)) return symbol("uid", text);
  if (text == "<list version>") return std::string(text);
  if (key == "resourceVersion") return symbol("version", text);
  if (key == "continue") return "<token>";
  if ((key == "clusterIP" || key == "clusterIPs") && text != "None" && is_digit(text[0])) {
    return symbol("address", text);
  }
  return message(std::string(text));
}

// Several causes come in the order of a Go map: compared sorted, and the sentence that lists them
// all is compared up to the list.
json::object Normaliser::status(json::object body) {
  const json::array* causes = wire::find_array(body, "details.causes");
  if (!causes || causes->size() < 2) return body;
  json::array sorted = *causes;
  std::ranges::sort(sorted, {}, [](const json::value& cause) { return wire::canonical(cause); });
  wire::ensure_object(body, "details")["causes"] = std::move(sorted);
  const std::string message(wire::find_string(body, "message"));
  if (const std::size_t list = message.find("is invalid: ["); list != std::string::npos) {
    body["message"] = message.substr(0, list) + "is invalid: <causes>";
  }
  return body;
}

json::value Normaliser::object(const json::object& given, std::string_view key) {
  json::object changed;
  const bool is_status = wire::find_string(given, "kind") == "Status";
  if (is_status) changed = status(given);
  const json::object& object = is_status ? changed : given;
  if (key == "metadata" && is_generated(object)) {
    (void)symbol("generated", wire::find_string(object, "name"));
  }
  const bool is_list = object.contains("items") || object.contains("rows");
  // In the order of the names: both sides number what they meet alike.
  std::vector<std::string_view> names;
  for (const auto& [name, value] : object) names.push_back(name);
  std::ranges::sort(names);
  json::object result;
  for (const std::string_view name : names) {
    const json::value& value = object.at(name);
    if (name == "managedFields" && value.is_array()) {
      result[name] = walk(sorted_managers(value.as_array()), name, false);
    } else {
      // Keys of fieldsV1 may hold the uid of an owner.
      result[message(std::string(name))] = walk(value, name, is_list && name == "metadata");
    }
  }
  return result;
}

json::value Normaliser::walk(const json::value& value, std::string_view key, bool of_list) {
  if (value.is_string()) return json::value(text(value.as_string(), key));
  if (value.is_array()) {
    json::array result;
    for (const json::value& item : value.as_array()) result.push_back(walk(item, key, false));
    return result;
  }
  if (value.is_object()) {
    if (of_list) {
      // The version of a list is that of the whole server.
      json::object metadata = value.as_object();
      if (metadata.contains("resourceVersion")) metadata["resourceVersion"] = "<list version>";
      return object(metadata, {});
    }
    return object(value.as_object(), key);
  }
  if ((key == "nodePort" || key == "healthCheckNodePort") && value.is_number() &&
      value.to_number<std::int64_t>() > 0) {
    return json::value("<port>");
  }
  return value;
}

json::value Normaliser::operator()(const json::value& value) { return walk(value, {}, false); }

}  // namespace davit::sim::differential
