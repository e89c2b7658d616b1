#include "sim/resource_type.hpp"

#include "sim/api_error.hpp"
#include "sim/builtin.hpp"
#include "sim/rule_predicates.hpp"
#include "sim/schemas/kubernetes_schemas.hpp"

namespace davit::sim {

Registry::Registry() : shapes_(std::make_unique<Shapes>()) {
  judge_ = [this](const ShapeRule& rule, const json::value& self,
                  const json::value* old) -> std::optional<std::string> {
    const auto known = rules_.find(rule.cel);
    if (known == rules_.end() || known->second.holds(self, old)) return std::nullopt;
    return known->second.message ? known->second.message(self, old) : rule.message;
  };
  add_rule_predicates(*this);
  for (ResourceType& type : builtin_types()) {
    type.shape = kubernetes_shape(type.group, type.version, type.kind);
    if (!type.shape) type.shape = &Shapes::any();
    types_.push_back(std::move(type));
  }
}

Registry::~Registry() = default;

std::vector<std::string> Registry::rules_without_predicate() const {
  std::vector<std::string> missing;
  for (const std::string& cel : shapes_->rules()) {
    if (!rules_.contains(cel)) missing.push_back(cel);
  }
  return missing;
}

const ResourceType* Registry::find(std::string_view group, std::string_view version,
                                   std::string_view plural) const {
  for (const ResourceType& type : types_) {
    if (type.plural == plural && type.group == group && type.version == version) return &type;
  }
  return nullptr;
}

const ResourceType* Registry::find(const kube::Resource& resource) const {
  return find(resource.group, resource.version, resource.plural);
}

const ResourceType* Registry::find_kind(std::string_view api_version, std::string_view kind) const {
  const std::size_t slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
  for (const ResourceType& type : types_) {
    if (type.kind == kind && type.group == group) return &type;
  }
  return nullptr;
}

const ResourceType& Registry::add(ResourceType type) {
  for (ResourceType& known : types_) {
    if (known.group == type.group && known.version == type.version &&
        (known.plural == type.plural || known.plural == "!" + type.plural)) {
      known = std::move(type);
      return known;
    }
  }
  types_.push_back(std::move(type));
  return types_.back();
}

std::string Registry::add_crd(const json::object& crd) {
  const json::array* versions = wire::find_array(crd, "spec.versions");
  if (!versions || versions->empty()) return "spec.versions: Required value";
  for (const json::value& entry : *versions) {
    const json::object& version = entry.as_object();
    if (!wire::find_bool(version, "served", false)) continue;
    ResourceType type;
    type.group = wire::find_string(crd, "spec.group");
    type.version = wire::find_string(version, "name");
    type.kind = wire::find_string(crd, "spec.names.kind");
    type.plural = wire::find_string(crd, "spec.names.plural");
    type.namespaced = wire::find_string(crd, "spec.scope") == "Namespaced";
    type.has_status = wire::find_object(version, "subresources.status") != nullptr;
    type.has_generation = true;
    type.custom = true;
    type.needs_version = true;
    const json::object* schema = wire::find_object(version, "schema.openAPIV3Schema");
    type.shape = shapes_->compile_custom(schema ? *schema : json::object(), metadata_shape());
    add(std::move(type));
  }
  return {};
}

void Registry::remove_crd(const json::object& crd) {
  const std::string_view group = wire::find_string(crd, "spec.group");
  const std::string_view plural = wire::find_string(crd, "spec.names.plural");
  for (ResourceType& type : types_) {
    // The slot stays, because pointers to it may be held; the name is no longer found.
    if (type.group == group && type.plural == plural) type.plural = "!" + type.plural;
  }
}

}  // namespace davit::sim
