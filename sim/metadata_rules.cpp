#include "sim/metadata_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "sim/names.hpp"

namespace davit::sim {

namespace {

constexpr std::size_t kMostAnnotationBytes = 256UL * 1024;

struct Checker {
  std::vector<Cause> causes;

  void invalid_text(const std::string& field, std::string_view value, const std::string& why) {
    if (why.empty()) return;
    causes.push_back(
        {"FieldValueInvalid",
         fmt::format("Invalid value: {}: {}", json::serialize(json::string(value)), why), field});
  }

  void labels(const json::object& labels) {
    for (const auto& [key, value] : labels) {
      invalid_text("metadata.labels", key, qualified_name_problem(key));
      if (!value.is_string()) continue;
      invalid_text("metadata.labels", value.as_string(), label_value_problem(value.as_string()));
    }
  }

  void annotations(const json::object& annotations) {
    std::size_t bytes = 0;
    for (const auto& [key, value] : annotations) {
      std::string lower(key);
      std::ranges::transform(lower, lower.begin(),
                             [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      invalid_text("metadata.annotations", key, qualified_name_problem(lower));
      bytes += key.size() + (value.is_string() ? value.as_string().size() : 0);
    }
    if (bytes > kMostAnnotationBytes) {
      causes.push_back(
          {"FieldValueTooLong",
           fmt::format("Too long: may not be more than {} bytes", kMostAnnotationBytes),
           "metadata.annotations"});
    }
  }

  void owners(const json::array& owners) {
    std::vector<std::string> controllers;
    for (const json::value& value : owners) {
      if (!value.is_object()) continue;
      const json::object& owner = value.as_object();
      for (const std::string_view name : {"apiVersion", "kind", "name", "uid"}) {
        if (!wire::find_string(owner, name).empty()) continue;
        invalid_text("metadata.ownerReferences." + std::string(name), "",
                     name == "apiVersion" ? "version must not be empty" : "must not be empty");
      }
      if (wire::find_bool(owner, "controller", false)) {
        controllers.push_back(fmt::format("{}/{}", wire::find_string(owner, "kind"),
                                          wire::find_string(owner, "name")));
      }
    }
    if (controllers.size() < 2) return;
    causes.push_back(
        {"FieldValueInvalid",
         fmt::format("Invalid value: {}: Only one reference can have Controller set to true. Found "
                     "\"true\" in references for {} and {}",
                     json::serialize(owners), controllers[0], controllers[1]),
         "metadata.ownerReferences"});
  }

  void finalizers(const json::array& finalizers) {
    bool orphan = false;
    bool foreground = false;
    for (const json::value& value : finalizers) {
      const std::string_view name =
          value.is_string() ? std::string_view(value.as_string()) : std::string_view();
      invalid_text("metadata.finalizers", name, qualified_name_problem(name));
      orphan = orphan || name == "orphan";
      foreground = foreground || name == "foregroundDeletion";
    }
    if (!orphan || !foreground) return;
    causes.push_back({"FieldValueInvalid",
                      fmt::format("Invalid value: {}: finalizer orphan and foregroundDeletion "
                                  "cannot be both set",
                                  json::serialize(finalizers)),
                      "metadata.finalizers"});
  }
};

std::string name_problem(const ResourceType& type, std::string_view name) {
  if (type.group == "rbac.authorization.k8s.io") return path_segment_problem(name);
  const bool label =
      type.group.empty() && (type.plural == "namespaces" || type.plural == "services");
  return label ? dns_label_problem(name) : dns_subdomain_problem(name);
}

// The end of a base is no end of a name: "made-" is fine.
std::string base_problem(const ResourceType& type, std::string_view base) {
  std::string name(base);
  if (name.size() > 1 && name.back() == '-') name.back() = 'a';
  return name_problem(type, name);
}

}  // namespace

std::vector<Cause> check_metadata(const ResourceType& type, const json::object& object,
                                  const json::object* before) {
  Checker checker;
  const json::object* metadata = wire::find_object(object, "metadata");
  if (!metadata) return {};
  const json::object* old = before ? wire::find_object(*before, "metadata") : nullptr;
  if (!old) {
    const std::string_view name = wire::find_string(*metadata, "name");
    const std::string_view base = wire::find_string(*metadata, "generateName");
    if (!base.empty()) {
      checker.invalid_text("metadata.generateName", base, base_problem(type, base));
    }
    checker.invalid_text("metadata.name", name, name_problem(type, name));
  }
  const auto changed = [&](std::string_view member) -> const json::value* {
    const json::value* value = metadata->if_contains(member);
    const json::value* was = old ? old->if_contains(member) : nullptr;
    return value && (!was || *was != *value) ? value : nullptr;
  };
  if (const auto* v = changed("labels"); v && v->is_object()) checker.labels(v->as_object());
  if (const auto* v = changed("annotations"); v && v->is_object()) {
    checker.annotations(v->as_object());
  }
  if (const auto* v = changed("ownerReferences"); v && v->is_array()) {
    checker.owners(v->as_array());
  }
  if (const auto* v = changed("finalizers"); v && v->is_array()) {
    checker.finalizers(v->as_array());
  }
  // The server looks at the metadata of a built-in kind twice when it changes.
  if (before && !type.custom) {
    const std::vector<Cause> once = checker.causes;
    checker.causes.insert(checker.causes.end(), once.begin(), once.end());
  }
  return std::move(checker.causes);
}

}  // namespace davit::sim
