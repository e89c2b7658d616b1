// Settings of the Block Node server: what exists, what each may be, and what a wrong name was meant
// to be.
//
//   const Setting* port = find_setting("server.port");              // or "SERVER_PORT"
//   std::optional<std::string> wrong = value_problem(*port, "80");  // "80 is out of range; …"
//   std::vector<Problem> problems = check_settings(node.spec.extra_config, node.spec.version);
//
// The catalogue is data/blocknode-settings.json, inside the binary; it is read at the first use and
// does not change. Any thread; never fails.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operands/blocknode/problem.hpp"
#include "operands/blocknode/server_version.hpp"

namespace davit::blocknode {

enum class SettingType { kInt, kLong, kDouble, kBoolean, kString, kPath, kEnum };

struct Setting {
  std::string env;       // "SERVER_PORT"
  std::string property;  // "server.port"
  SettingType type = SettingType::kString;
  std::string default_value;  // empty: none
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
  std::vector<std::string> choices;  // of an enum; case matters
  bool power_of_two = false;
  bool secret = false;
  std::string plugin;
  std::string description;
  std::string note;
  std::string alias;  // a wrong name in circulation
  ServerVersion since;
};

struct SettingCatalogue {
  std::vector<Setting> settings;  // by env
  ServerVersion up_to;            // the newest version it knows
};
[[nodiscard]] const SettingCatalogue& setting_catalogue();

// By environment or property name, exactly; nullptr: no such setting.
[[nodiscard]] const Setting* find_setting(std::string_view key);

// The variable the server reads for a setting: "server.http2.maxFrameSize" is
// SERVER_HTTP2_MAX_FRAME_SIZE. What is no property is returned as it is.
[[nodiscard]] std::string environment_name(std::string_view key);

// The name most like a wrong one, in the same form (environment or property); empty: none is near.
[[nodiscard]] std::string nearest_setting(std::string_view wrong);

// What a value may be: "an integer from 1024 to 65535", "one of ZSTD, NONE".
[[nodiscard]] std::string allowed_values(const Setting& setting);
// Why the server would refuse a value, and what is allowed.
[[nodiscard]] std::optional<std::string> value_problem(const Setting& setting,
                                                       std::string_view value);

// "10_000" is 10000; nullopt: not an integer of 64 bits.
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);

// Each key and value by itself: names, values, versions, secrets, and one setting given twice.
[[nodiscard]] std::vector<Problem> check_settings(
    const std::map<std::string, std::string>& extra_config, std::string_view version);

// "spec.extraConfig[SERVER_PORT]"
[[nodiscard]] std::string config_field(std::string_view key);
// The value of a setting, under whichever name it is given; nullopt: not given.
[[nodiscard]] std::optional<std::string> configured(
    const std::map<std::string, std::string>& extra_config, std::string_view env);

}  // namespace davit::blocknode
