#include "sim/structure.hpp"

namespace davit::sim {

Structure::Structure(const ResourceType& type)
    : kind_(type.kind), schema_(type.custom ? &type.schema : nullptr), by_schema_(type.custom) {}

Structure Structure::member(std::string_view name) const {
  Structure below = *this;
  below.parent_ = name_;
  below.name_ = name;
  if (!by_schema_) return below;
  if (name_.empty() && name == "metadata") {
    below.by_schema_ = false;  // the server's own, whatever the schema says
    below.schema_ = nullptr;
    return below;
  }
  below.schema_ = nullptr;
  if (!schema_) return below;
  const json::object* properties = wire::find_object(*schema_, "properties");
  const json::value* property = properties ? properties->if_contains(name) : nullptr;
  below.schema_ = property ? property->if_object() : nullptr;
  if (!below.schema_) below.schema_ = wire::find_object(*schema_, "additionalProperties");
  return below;
}

Structure Structure::item() const {
  Structure below = *this;
  below.schema_ = schema_ ? wire::find_object(*schema_, "items") : nullptr;
  return below;
}

Structure::List Structure::list() const {
  List list;
  if (!by_schema_) {
    const runtime::ListRule rule = runtime::list_rule(kind_, parent_, name_);
    list.type = rule.type;
    list.keys.assign(rule.keys.begin(), rule.keys.end());
    return list;
  }
  if (!schema_) return list;
  const std::string_view type = wire::find_string(*schema_, "x-kubernetes-list-type");
  if (type == "set") list.type = runtime::ListType::kSet;
  if (type == "map") list.type = runtime::ListType::kMap;
  if (const json::array* keys = wire::find_array(*schema_, "x-kubernetes-list-map-keys")) {
    for (const json::value& key : *keys) list.keys.emplace_back(key.as_string());
  }
  return list;
}

bool Structure::is_atomic_map() const {
  if (!by_schema_) return runtime::is_atomic_map(kind_, parent_, name_);
  return schema_ && wire::find_string(*schema_, "x-kubernetes-map-type") == "atomic";
}

bool Structure::is_free_map() const {
  if (!by_schema_) return runtime::is_free_map(name_);
  return schema_ && schema_->contains("additionalProperties");
}

std::string item_key(const json::object& item, const std::vector<std::string>& keys) {
  json::object values;
  for (const std::string& key : keys) values[key] = runtime::merge_key_value(item, key);
  return "k:" + wire::canonical(values);
}

}  // namespace davit::sim
