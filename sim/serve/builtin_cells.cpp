#include <fmt/format.h>

#include <algorithm>

#include "sim/serve/builtin_columns.hpp"

namespace davit::sim {

namespace {

std::string joined(std::string list, std::string_view next) {
  if (!list.empty()) list += ',';
  return list += next;
}

std::string container_fields(const json::object& workload, std::string_view field) {
  std::string text;
  const json::array* containers = wire::find_array(workload, "spec.template.spec.containers");
  if (!containers) return text;
  for (const json::value& entry : *containers) {
    if (const json::object* one = entry.if_object()) {
      text = joined(std::move(text), wire::find_string(*one, field));
    }
  }
  return text;
}

bool has_condition(const json::object& object, std::string_view type) {
  const json::array* conditions = wire::find_array(object, "status.conditions");
  return conditions && std::ranges::any_of(*conditions, [&](const json::value& entry) {
           const json::object* one = entry.if_object();
           return one && wire::find_string(*one, "type") == type &&
                  wire::find_string(*one, "status") == "True";
         });
}

}  // namespace

std::string labels_text(const json::object* labels) {
  if (!labels || labels->empty()) return "<none>";
  std::vector<std::string> pairs;
  for (const auto& label : *labels) {
    const std::string_view value =
        label.value().is_string() ? std::string_view(label.value().get_string()) : "";
    pairs.push_back(std::string(label.key()) + "=" + std::string(value));
  }
  std::ranges::sort(pairs);
  return fmt::format("{}", fmt::join(pairs, ","));
}

std::string container_names(const json::object& workload) {
  return container_fields(workload, "name");
}

std::string container_images(const json::object& workload) {
  return container_fields(workload, "image");
}

std::string access_modes(const json::array* modes) {
  std::string text;
  if (!modes) return text;
  const std::pair<std::string_view, std::string_view> words[] = {{"ReadWriteOnce", "RWO"},
                                                                 {"ReadOnlyMany", "ROX"},
                                                                 {"ReadWriteMany", "RWX"},
                                                                 {"ReadWriteOncePod", "RWOP"}};
  for (const auto& [mode, word] : words) {
    if (std::ranges::find(*modes, json::value(mode)) != modes->end()) {
      text = joined(std::move(text), word);
    }
  }
  return text;
}

std::string port_list(const json::object& service) {
  std::string text;
  const json::array* ports = wire::find_array(service, "spec.ports");
  if (!ports) return "<none>";
  for (const json::value& entry : *ports) {
    const json::object* port = entry.if_object();
    if (!port) continue;
    const std::string_view protocol = wire::find_string(*port, "protocol", "TCP");
    const std::int64_t number = wire::find_int(*port, "port").value_or(0);
    const std::int64_t node_port = wire::find_int(*port, "nodePort").value_or(0);
    text =
        joined(std::move(text), node_port > 0 ? fmt::format("{}:{}/{}", number, node_port, protocol)
                                              : fmt::format("{}/{}", number, protocol));
  }
  return text.empty() ? "<none>" : text;
}

std::string external_address(const json::object& service) {
  const std::string_view type = wire::find_string(service, "spec.type");
  if (type == "ExternalName") return std::string(wire::find_string(service, "spec.externalName"));
  std::string text;
  if (const json::array* ingress = wire::find_array(service, "status.loadBalancer.ingress")) {
    for (const json::value& entry : *ingress) {
      if (const json::object* one = entry.if_object()) {
        text = joined(std::move(text),
                      wire::find_string(*one, "ip", wire::find_string(*one, "hostname")));
      }
    }
  }
  if (const json::array* external = wire::find_array(service, "spec.externalIPs")) {
    for (const json::value& entry : *external) {
      if (entry.is_string()) text = joined(std::move(text), entry.get_string());
    }
  }
  if (!text.empty()) return text;
  return type == "LoadBalancer" ? "<pending>" : "<none>";
}

std::string node_state(const json::object& node) {
  std::string text = "Unknown";
  if (const json::array* conditions = wire::find_array(node, "status.conditions")) {
    for (const json::value& entry : *conditions) {
      const json::object* one = entry.if_object();
      if (!one || wire::find_string(*one, "type") != "Ready") continue;
      text = wire::find_string(*one, "status") == "True" ? "Ready" : "NotReady";
    }
  }
  if (wire::find_bool(node, "spec.unschedulable", false)) text += ",SchedulingDisabled";
  return text;
}

std::string node_roles(const json::object& node) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  if (const json::object* labels = wire::find_object(node, "metadata.labels")) {
    for (const auto& label : *labels) {
      const std::string_view key = label.key();
      if (key.starts_with(kPrefix)) roles.emplace_back(key.substr(kPrefix.size()));
    }
  }
  std::ranges::sort(roles);
  return roles.empty() ? "<none>" : fmt::format("{}", fmt::join(roles, ","));
}

std::string node_address(const json::object& node, std::string_view type) {
  if (const json::array* addresses = wire::find_array(node, "status.addresses")) {
    for (const json::value& entry : *addresses) {
      const json::object* one = entry.if_object();
      if (one && wire::find_string(*one, "type") == type) {
        return std::string(wire::find_string(*one, "address"));
      }
    }
  }
  return "<none>";
}

std::string job_state(const json::object& job) {
  if (has_condition(job, "Complete")) return "Complete";
  if (has_condition(job, "Failed")) return "Failed";
  if (wire::find(job, "metadata.deletionTimestamp")) return "Terminating";
  if (has_condition(job, "Suspended")) return "Suspended";
  return "Running";
}

}  // namespace davit::sim
