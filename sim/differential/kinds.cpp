#include "sim/differential/kinds.hpp"

#include "kube/file.hpp"
#include "wire/yaml.hpp"

namespace davit::sim::differential {

namespace {

std::vector<json::object> objects(const json::object& from, std::string_view name) {
  std::vector<json::object> all;
  if (const json::array* list = wire::find_array(from, name)) {
    for (const json::value& item : *list) {
      if (item.is_object()) all.push_back(item.as_object());
    }
  }
  return all;
}

}  // namespace

std::string Kind::qualified() const {
  const std::string_view version = wire::find_string(base, "apiVersion");
  const auto slash = version.find('/');
  if (slash == std::string_view::npos) return resource;
  return resource + "." + std::string(version.substr(0, slash));
}

std::string Kind::collection(const std::string& ns) const {
  const std::string version(wire::find_string(base, "apiVersion"));
  std::string path = (version.contains('/') ? "/apis/" : "/api/") + version;
  if (!cluster) path += "/namespaces/" + ns;
  return path + "/" + resource;
}

json::object Kind::bare(const std::string& name) const {
  return {{"apiVersion", base.at("apiVersion")},
          {"kind", base.at("kind")},
          {"metadata", json::object{{"name", name}}}};
}

json::object Kind::sample(const std::string& name) const {
  json::object object = base;
  wire::ensure_object(object, "metadata")["name"] = name;
  return object;
}

Result<json::value> load_yaml(const std::string& file) {
  auto text = kube::read_file(file);
  if (!text) return fail(std::move(text.error()));
  auto documents = wire::parse_yaml(*text);
  if (!documents) return fail(std::move(documents.error()).because(file));
  if (documents->empty()) return fail(Code::kInvalid, file + " is empty");
  return std::move(documents->front());
}

Result<Kinds> load_kinds(const std::string& file) {
  auto loaded = load_yaml(file);
  if (!loaded) return fail(std::move(loaded.error()));
  if (!loaded->is_object()) return fail(Code::kInvalid, file + " is no table of kinds");
  Kinds kinds;
  for (const auto& [resource, value] : loaded->as_object()) {
    if (!value.is_object() || !wire::find_object(value.as_object(), "base")) {
      return fail(Code::kInvalid, file + ": " + std::string(resource) + " has no base");
    }
    const json::object& row = value.as_object();
    Kind kind{.resource = resource,
              .base = *wire::find_object(row, "base"),
              .edits = objects(row, "edits"),
              .wrong = objects(row, "wrong"),
              .statuses = objects(row, "statuses"),
              .cluster = wire::find_bool(row, "cluster", false),
              .random = wire::find_bool(row, "random", false),
              .has_status = wire::find_bool(row, "status", false)};
    kinds.emplace(resource, std::move(kind));
  }
  return kinds;
}

}  // namespace davit::sim::differential
