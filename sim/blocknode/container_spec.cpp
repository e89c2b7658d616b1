#include "sim/blocknode/container_spec.hpp"

#include <algorithm>

#include "kube/resource.hpp"

namespace davit::sim {

namespace {

template <typename F>
void for_each(const json::object& object, std::string_view path, F visit) {
  const json::array* list = wire::find_array(object, path);
  if (list == nullptr) return;
  for (const json::value& entry : *list) {
    if (entry.is_object()) visit(entry.get_object());
  }
}

void add_words(const json::object& container, std::string_view member,
               std::vector<std::string>& out) {
  const json::array* words = wire::find_array(container, member);
  if (words == nullptr) return;
  for (const json::value& word : *words) {
    if (word.is_string()) out.emplace_back(word.get_string());
  }
}

Object stored(const Operations& operations, const kube::Resource& resource, const ObjectKey& key) {
  return operations.store().get(*operations.registry().find(resource), key);
}

void add_config_map(const Operations& operations, const ObjectKey& key, const std::string& prefix,
                    standin::Environment& environment) {
  const Object map = stored(operations, kube::kConfigMaps, key);
  const json::object* data = map ? wire::find_object(*map, "data") : nullptr;
  if (data == nullptr) return;
  for (const auto& [name, value] : *data) {
    if (value.is_string()) environment[prefix + std::string(name)] = value.get_string();
  }
}

standin::Environment environment_of(const Operations& operations, const std::string& ns,
                                    const json::object& container) {
  standin::Environment out;
  for_each(container, "envFrom", [&](const json::object& source) {
    const std::string_view name = wire::find_string(source, "configMapRef.name");
    if (name.empty()) return;
    add_config_map(operations, {ns, std::string(name)},
                   std::string(wire::find_string(source, "prefix")), out);
  });
  for_each(container, "env", [&](const json::object& variable) {
    const std::string name(wire::find_string(variable, "name"));
    const std::string_view map = wire::find_string(variable, "valueFrom.configMapKeyRef.name");
    if (map.empty()) {
      out[name] = wire::find_string(variable, "value");
      return;
    }
    standin::Environment values;
    add_config_map(operations, {ns, std::string(map)}, "", values);
    const auto found = values.find(wire::find_string(variable, "valueFrom.configMapKeyRef.key"));
    if (found != values.end()) out[name] = found->second;
  });
  return out;
}

std::string without_slash(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return std::string(path);
}

}  // namespace

const json::object* find_container(const json::object& pod, std::string_view name) {
  const json::object* out = nullptr;
  for (const std::string_view list : {"spec.containers", "spec.initContainers"}) {
    for_each(pod, list, [&](const json::object& container) {
      if (wire::find_string(container, "name") == name) out = &container;
    });
  }
  return out;
}

std::optional<ContainerSpec> container_spec(const Operations& operations, const json::object& pod,
                                            std::string_view name) {
  const json::object* container = find_container(pod, name);
  if (container == nullptr) return std::nullopt;
  ContainerSpec out;
  out.image = wire::find_string(*container, "image");
  add_words(*container, "command", out.command);
  add_words(*container, "args", out.command);
  out.environment = environment_of(operations, kube::key_of(pod).ns, *container);
  for_each(*container, "volumeMounts", [&](const json::object& mount) {
    std::string sub_path = without_slash(wire::find_string(mount, "subPath"));
    if (!sub_path.empty()) sub_path.insert(0, "/");
    out.mounts.push_back({.volume = std::string(wire::find_string(mount, "name")),
                          .path = without_slash(wire::find_string(mount, "mountPath")),
                          .sub_path = std::move(sub_path),
                          .read_only = wire::find_bool(mount, "readOnly", false)});
  });
  return out;
}

std::uint16_t port_number(const json::object& container, const json::value* port) {
  if (port == nullptr) return 0;
  if (port->is_number()) return static_cast<std::uint16_t>(port->to_number<std::int64_t>());
  std::uint16_t out = 0;
  for_each(container, "ports", [&](const json::object& entry) {
    if (port->is_string() && wire::find_string(entry, "name") == port->get_string()) {
      out = static_cast<std::uint16_t>(wire::find_int(entry, "containerPort").value_or(0));
    }
  });
  return out;
}

std::optional<std::string> image_version(std::string_view image) {
  const std::string_view name = image.substr(0, image.find('@'));
  const auto colon = name.rfind(':');
  if (colon == std::string_view::npos || name.find('/', colon) != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view tag = name.substr(colon + 1);
  const bool digits = !tag.empty() && tag.front() >= '0' && tag.front() <= '9';
  if (!digits || std::ranges::count(tag, '.') < 2) return std::nullopt;
  return std::string(tag);
}

}  // namespace davit::sim
