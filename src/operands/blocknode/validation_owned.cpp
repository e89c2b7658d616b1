// Settings that Davit sets itself, because probes, Services and mounts depend on them. The value
// that Davit sets anyway is let through: it comes with configurations taken over from elsewhere.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "operands/blocknode/java_options.hpp"
#include "operands/blocknode/pod_volumes.hpp"
#include "operands/blocknode/ports.hpp"
#include "operands/blocknode/settings.hpp"
#include "operands/blocknode/validation.hpp"

namespace davit::blocknode {

namespace {

constexpr std::array<std::string_view, 6> kPortSettings{"SERVER_PORT",       "HEALTH_PORT",
                                                        "PRODUCER_PORT",     "SUBSCRIBER_PORT",
                                                        "BLOCK_ACCESS_PORT", "SERVER_STATUS_PORT"};

// "40983 is the health port"; empty: nothing else is there.
std::string who_has(std::int64_t port, std::string_view setting, const BlockNodeSpec& spec) {
  for (const Port& other : server_ports(spec)) {
    if (other.number == port && other.setting != setting) {
      return fmt::format("{} is already the {} port. ", port, other.name);
    }
  }
  return port == kAgentPort ? fmt::format("{} is already the port of Davit's agent. ", port)
                            : std::string{};
}

std::optional<std::string> port_problem(std::string_view env, std::string_view value,
                                        const BlockNodeSpec& spec) {
  const auto given = parse_integer(value);
  const std::vector<Port> ports = server_ports(spec);
  const auto ours = std::ranges::find(ports, env, &Port::setting);
  if (ours != ports.end()) {
    if (given == ours->number) return std::nullopt;
    return fmt::format(
        "{}Davit sets this port to {}, because its probes and Services use it. "
        "Remove the setting",
        given ? who_has(*given, env, spec) : std::string{}, ours->number);
  }
  return fmt::format(
      "{}With spec.exposure.ports Shared this service has no port of its own, and no "
      "Service would lead to it. Remove the setting, or set spec.exposure.ports to "
      "Split",
      given ? who_has(*given, env, spec) : std::string{});
}

// The volume a path is on; nullptr: none, so that nothing can be written there.
const VolumeLayout* volume_of(std::string_view path, const BlockNodeSpec& spec) {
  for (const MountedClaim& claim : mounted_claims(spec)) {
    const bool inside = path.starts_with(claim.path) &&
                        (path.size() == claim.path.size() || path[claim.path.size()] == '/');
    if (inside && path.find("/..") == std::string_view::npos) return claim.layout;
  }
  return nullptr;
}

std::optional<std::string> root_path_problem(const Setting& setting, std::string_view value) {
  if (value == setting.default_value) return std::nullopt;
  return fmt::format(
      "Davit mounts the volume at {}; blocks written to {} would be lost with the pod. "
      "Remove the setting",
      setting.default_value, value);
}

std::optional<std::string> file_path_problem(std::string_view value, const BlockNodeSpec& spec) {
  const VolumeLayout* volume = volume_of(value, spec);
  if (volume != nullptr && volume->key == "applicationState") return std::nullopt;
  return fmt::format(
      "{} is not on the applicationState volume, and would be lost with the pod. "
      "Remove the setting, or choose a path below /opt/hiero/block-node/"
      "application-state",
      value);
}

std::optional<std::string> owned_problem(std::string_view key, std::string_view value,
                                         const BlockNodeSpec& spec) {
  const std::string env = environment_name(key);
  if (env == "VERSION") {
    if (value == spec.version) return std::nullopt;
    return fmt::format(
        "Davit sets it from spec.version, which is {}. Remove it, and set spec.version "
        "if another version is wanted",
        spec.version);
  }
  if (std::ranges::find(kPortSettings, env) != kPortSettings.end()) {
    return port_problem(env, value, spec);
  }
  const Setting* setting = find_setting(env);
  if (setting == nullptr || setting->type != SettingType::kPath) return std::nullopt;
  if (env.ends_with("_ROOT_PATH")) return root_path_problem(*setting, value);
  if (env.starts_with("APP_STATE_")) return file_path_problem(value, spec);
  return std::nullopt;
}

// The dumps of blocks that failed verification go, by default, where nothing can be written.
void check_dumps(const BlockNodeSpec& spec, Problems& problems) {
  if (configured(spec.extra_config, "VERIFICATION_DUMP_ENABLED") != "true") return;
  const auto path = configured(spec.extra_config, "VERIFICATION_DUMP_DIRECTORY_PATH");
  if (path && volume_of(*path, spec) != nullptr) return;
  const Setting* setting = find_setting("VERIFICATION_DUMP_DIRECTORY_PATH");
  problems.push_back(
      {config_field("VERIFICATION_DUMP_ENABLED"),
       fmt::format("the dumps would go to {}, which is on no volume and not writable. Set "
                   "VERIFICATION_DUMP_DIRECTORY_PATH to a path on a volume, such as "
                   "/opt/hiero/block-node/logs/dumps",
                   path.value_or(setting != nullptr ? setting->default_value : "a folder"))});
}

}  // namespace

void check_owned_settings(const BlockNodeSpec& spec, Problems& problems) {
  for (const auto& [key, value] : spec.extra_config) {
    if (auto wrong = owned_problem(key, value, spec)) {
      problems.push_back({config_field(key), std::move(*wrong)});
    }
  }
  check_dumps(spec, problems);
}

}  // namespace davit::blocknode
