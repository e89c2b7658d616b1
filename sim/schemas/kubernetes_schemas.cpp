#include "sim/schemas/kubernetes_schemas.hpp"

#include <cstdlib>
#include <stdexcept>

#include "kube/file.hpp"

namespace davit::sim {

namespace {

struct Schemas {
  json::object document;
  const json::object* definitions = nullptr;
  Shapes shapes;
  std::string version;
  std::map<std::string, const Shape*, std::less<>> kinds;  // "apps/v1/StatefulSet"
  const Shape* metadata = nullptr;

  Schemas() {
    const std::string path = kubernetes_schemas_file();
    const Result<std::string> text = kube::read_file(path);
    if (!text) {
      throw std::runtime_error(
          "the schemas of Kubernetes' own kinds are not at " + path +
          ": run 'testbed/build schemas', or set DAVIT_KUBERNETES_SCHEMAS to the file it makes");
    }
    if (auto parsed = wire::parse_json_object(*text)) document = std::move(*parsed);
    definitions = wire::find_object(document, "schemas");
    if (!definitions) {
      throw std::runtime_error("the schemas of Kubernetes' own kinds in " + path +
                               " cannot be read: remove the file and run 'testbed/build schemas'");
    }
    version = wire::find_string(document, "version");
    for (const auto& [name, value] : *definitions) {
      const json::object& schema = value.as_object();
      const json::array* kinds_of = wire::find_array(schema, "x-kubernetes-group-version-kind");
      if (!kinds_of || kinds_of->size() != 1) continue;
      const json::object& kind = (*kinds_of)[0].as_object();
      kinds.emplace(key_of(wire::find_string(kind, "group"), wire::find_string(kind, "version"),
                           wire::find_string(kind, "kind")),
                    shapes.compile_definition(name, *definitions));
    }
    metadata =
        shapes.compile_definition("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", *definitions);
  }

  static std::string key_of(std::string_view group, std::string_view api, std::string_view kind) {
    std::string key(group);
    key.append("/").append(api).append("/").append(kind);
    return key;
  }
};

const Schemas& schemas() {
  static const Schemas kSchemas;
  return kSchemas;
}

}  // namespace

const Shape* kubernetes_shape(std::string_view group, std::string_view version,
                              std::string_view kind) {
  const auto& kinds = schemas().kinds;
  const auto found = kinds.find(Schemas::key_of(group, version, kind));
  return found == kinds.end() ? nullptr : found->second;
}

const json::object& kubernetes_definitions() { return *schemas().definitions; }

std::string kubernetes_schemas_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string path = variable("DAVIT_KUBERNETES_SCHEMAS"); !path.empty()) return path;
  std::string cache = variable("DAVIT_CACHE");
  if (cache.empty()) {
    const std::string base = variable("XDG_CACHE_HOME");
    cache = (base.empty() ? variable("HOME") + "/.cache" : base) + "/davit";
  }
  return cache + "/testbed/kubernetes-schemas.json";
}

const std::string& kubernetes_version() { return schemas().version; }

const Shape* metadata_shape() { return schemas().metadata; }

}  // namespace davit::sim
