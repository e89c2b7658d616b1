#include "sim/serve/table.hpp"

#include "sim/serve/json_path.hpp"
#include "wire/duration.hpp"
#include "wire/time.hpp"

namespace davit::sim {

namespace {

constexpr const char* kMetaVersion = "meta.k8s.io/v1";

json::object partial(const json::object& object) {
  json::object result{{"kind", "PartialObjectMetadata"}, {"apiVersion", kMetaVersion}};
  if (const json::object* metadata = wire::find_object(object, "metadata")) {
    result["metadata"] = *metadata;
  }
  return result;
}

json::object list_metadata(const json::object& object) {
  json::object result;
  for (const std::string_view name : {"resourceVersion", "continue", "remainingItemCount"}) {
    const json::value* value = wire::find(object, "metadata." + std::string(name));
    if (value) result[name] = *value;
  }
  return result;
}

// As the API server shows the value of a printer column of that type.
json::value cell_of(const json::value& value, std::string_view type, WallTime now) {
  if (value.is_null()) return nullptr;
  if (type == "date") {
    return value.is_string() ? json::value(age(value.get_string(), now)) : json::value(nullptr);
  }
  if (type == "string") {
    return value.is_string() ? value : json::value(json::serialize(value));
  }
  if (type == "integer") {
    if (value.is_int64() || value.is_uint64()) return value;
    if (value.is_double()) return static_cast<std::int64_t>(value.get_double());
    return nullptr;
  }
  if (type == "number") return value.is_number() ? value : json::value(nullptr);
  if (type == "boolean") return value.is_bool() ? value : json::value(nullptr);
  return nullptr;
}

}  // namespace

std::string age(std::string_view time, WallTime now) {
  if (time.empty()) return "<unknown>";
  const auto then = wire::parse_time(time);
  if (!then) return "<invalid>";
  return wire::human_duration(now - *then);
}

Columns custom_columns(const json::object& crd, std::string_view version) {
  Columns columns{{.name = "Name", .description = "Name must be unique within a namespace."}};
  const json::array* declared = nullptr;
  if (const json::array* versions = wire::find_array(crd, "spec.versions")) {
    for (const json::value& entry : *versions) {
      const json::object* candidate = entry.if_object();
      if (candidate && wire::find_string(*candidate, "name") == version) {
        declared = wire::find_array(*candidate, "additionalPrinterColumns");
      }
    }
  }
  json::array standard{
      json::object{{"name", "Age"}, {"type", "date"}, {"jsonPath", ".metadata.creationTimestamp"}}};
  for (const json::value& entry : declared ? *declared : standard) {
    const json::object* from = entry.if_object();
    if (!from) continue;
    Column column;
    column.name = wire::find_string(*from, "name");
    column.type = wire::find_string(*from, "type");
    column.priority = static_cast<int>(wire::find_int(*from, "priority").value_or(0));
    std::string path(wire::find_string(*from, "jsonPath"));
    column.description = wire::find_string(*from, "description");
    if (column.description.empty()) {
      column.description = "Custom resource definition column (in JSONPath format): " + path;
    }
    column.cell = [type = column.type, path](const json::object& object, WallTime now) {
      const json::value* value = first_match(object, path);
      return value ? cell_of(*value, type, now) : json::value(nullptr);
    };
    columns.push_back(std::move(column));
  }
  return columns;
}

bool is_list(const json::object& object) {
  return object.contains("items") && wire::find_string(object, "kind").ends_with("List");
}

json::object metadata_only(const json::object& object) {
  if (!is_list(object)) return partial(object);
  json::array items;
  for (const json::value& item : object.at("items").as_array()) {
    items.push_back(partial(item.as_object()));
  }
  return {{"kind", "PartialObjectMetadataList"},
          {"apiVersion", kMetaVersion},
          {"metadata", list_metadata(object)},
          {"items", std::move(items)}};
}

json::object TableMaker::row(const json::object& object, WallTime now) const {
  json::array cells;
  for (const Column& column : *columns_) {
    cells.push_back(column.cell ? column.cell(object, now)
                                : json::value(wire::find_string(object, "metadata.name")));
  }
  json::object row{{"cells", std::move(cells)}};
  if (row_object_ == RowObject::kWhole) row["object"] = object;
  if (row_object_ == RowObject::kMetadata) row["object"] = partial(object);
  if (row_object_ == RowObject::kNone) row["object"] = nullptr;
  return row;
}

json::object TableMaker::table(const json::object& object, WallTime now, bool headers) const {
  json::array definitions;
  for (const Column& column : *columns_) {
    if (!headers) break;
    const bool is_name = column.name == "Name";
    definitions.push_back(json::object{{"name", column.name},
                                       {"type", column.type},
                                       {"format", is_name ? "name" : ""},
                                       {"description", column.description},
                                       {"priority", column.priority}});
  }
  json::array rows;
  if (is_list(object)) {
    for (const json::value& item : object.at("items").as_array()) {
      rows.push_back(row(item.as_object(), now));
    }
  } else {
    rows.push_back(row(object, now));
  }
  json::object result{{"kind", "Table"}, {"apiVersion", kMetaVersion}};
  result["metadata"] = list_metadata(object);
  if (headers)
    result["columnDefinitions"] = std::move(definitions);
  else
    result["columnDefinitions"] = nullptr;
  result["rows"] = std::move(rows);
  return result;
}

}  // namespace davit::sim
