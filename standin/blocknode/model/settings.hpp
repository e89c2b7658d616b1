// What the server was told: environment and Java options in, checked settings out. Pure.
//
//   auto settings = Settings::read(environment);
//   if (settings.violations() > 0) …   // the server exits 1 and names no key
//   settings.number("SERVER_PORT");
//
// Precedence (facts/blocknode.md section 2.1): -D<property> in JAVA_OPTS or JAVA_TOOL_OPTIONS, then
// the environment, then the default. Keys the running version does not know are ignored in silence.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

using Environment = std::map<std::string, std::string, std::less<>>;

class Settings {
 public:
  static Settings read(const Environment& environment);

  // How many values are out of range, of the wrong type or not among the allowed words.
  int violations() const { return violations_; }

  // A key that is unset (a port that shares SERVER_PORT) or not a number gives nullopt.
  std::optional<std::int64_t> number_if_set(std::string_view env) const;
  std::int64_t number(std::string_view env) const { return number_if_set(env).value_or(0); }
  std::string text(std::string_view env) const;

  const Version& version() const { return version_; }
  const std::string& base_dir() const { return base_dir_; }
  std::uint16_t metrics_port() const { return metrics_port_; }

  // "name = value" for the start log; secrets are stars.
  std::vector<std::string> log_lines() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  Version version_;
  std::string base_dir_;
  std::string max_heap_;  // -Xmx, as given
  std::uint16_t metrics_port_ = 16007;
  int violations_ = 0;
};

}  // namespace davit::standin
