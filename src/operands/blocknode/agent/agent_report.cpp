#include "operands/blocknode/agent/agent_report.hpp"

namespace davit::blocknode {

namespace {

std::uint64_t unsigned_at(const json::object& object, std::string_view path) {
  const auto value = wire::find_int(object, path);
  return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

VolumeReport volume_from(const json::object& object) {
  return {.role = std::string(wire::find_string(object, "role")),
          .total_bytes = unsigned_at(object, "totalBytes"),
          .available_bytes = unsigned_at(object, "availableBytes"),
          .writable = wire::find_bool(object, "writable", false),
          .error = std::string(wire::find_string(object, "error"))};
}

PortReport port_from(const json::object& object) {
  return {.name = std::string(wire::find_string(object, "name")),
          .port = static_cast<std::uint16_t>(unsigned_at(object, "port")),
          .speaks = wire::find_bool(object, "speaks", false)};
}

}  // namespace

int VolumeReport::used_percent() const {
  if (total_bytes == 0 || available_bytes >= total_bytes) return 0;
  const std::uint64_t used = total_bytes - available_bytes;
  return static_cast<int>((static_cast<double>(used) / static_cast<double>(total_bytes)) * 100.0 +
                          0.999);
}

json::object to_json(const StartReport& report) {
  json::object object;
  object["refused"] = report.refused;
  if (!report.reason.empty()) object["reason"] = report.reason;
  if (!report.message.empty()) object["message"] = report.message;
  json::array files;
  for (const std::string& file : report.quarantined) files.emplace_back(file);
  object["quarantined"] = std::move(files);
  return object;
}

json::object to_json(const AgentReport& report) {
  json::array volumes;
  for (const VolumeReport& volume : report.volumes) {
    json::object object{{"role", volume.role},
                        {"totalBytes", volume.total_bytes},
                        {"availableBytes", volume.available_bytes},
                        {"writable", volume.writable}};
    if (!volume.error.empty()) object["error"] = volume.error;
    volumes.push_back(std::move(object));
  }
  json::array ports;
  for (const PortReport& port : report.ports) {
    ports.push_back(
        json::object{{"name", port.name}, {"port", port.port}, {"speaks", port.speaks}});
  }
  json::object object{{"volumes", std::move(volumes)}, {"ports", std::move(ports)}};
  if (report.start) object["start"] = to_json(*report.start);
  return object;
}

StartReport start_report_from(const json::object& object) {
  StartReport report{.refused = wire::find_bool(object, "refused", false),
                     .reason = std::string(wire::find_string(object, "reason")),
                     .message = std::string(wire::find_string(object, "message")),
                     .quarantined = {}};
  if (const json::array* files = wire::find_array(object, "quarantined")) {
    for (const json::value& file : *files) {
      if (file.is_string()) report.quarantined.emplace_back(file.get_string());
    }
  }
  return report;
}

Result<AgentReport> parse_agent_report(std::string_view text) {
  auto object = wire::parse_json_object(text);
  if (!object) return fail(std::move(object.error()).because("the agent's report is not readable"));
  AgentReport report;
  if (const json::array* volumes = wire::find_array(*object, "volumes")) {
    for (const json::value& volume : *volumes) {
      if (volume.is_object()) report.volumes.push_back(volume_from(volume.get_object()));
    }
  }
  if (const json::array* ports = wire::find_array(*object, "ports")) {
    for (const json::value& port : *ports) {
      if (port.is_object()) report.ports.push_back(port_from(port.get_object()));
    }
  }
  if (const json::object* start = wire::find_object(*object, "start")) {
    report.start = start_report_from(*start);
  }
  return report;
}

}  // namespace davit::blocknode
