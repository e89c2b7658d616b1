// AgentReport: what the agent in a Block Node's pod says about volumes and ports. JSON both ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/json.hpp"

namespace davit::blocknode {

struct VolumeReport {
  std::string role;  // "live", "historic", "application-state", "logs", "plugins"
  std::uint64_t total_bytes = 0;
  std::uint64_t available_bytes = 0;  // to the server's user
  bool writable = false;
  std::string error;  // why not writable: "No space left on device"

  // 0 to 100, rounded up: a volume that is not empty never shows 0.
  [[nodiscard]] int used_percent() const;
};

struct PortReport {
  std::string name;  // "grpc", "health", "metrics", "publisher", …
  std::uint16_t port = 0;
  bool speaks = false;
};

// What davit-start decided at the last start of the server.
struct StartReport {
  bool refused = false;
  std::string reason;   // "VolumeIdentityMismatch", "VolumeNotWritable"; empty when not refused
  std::string message;  // one sentence with what to do
  std::vector<std::string> quarantined;  // files moved aside at this start
};

struct AgentReport {
  std::vector<VolumeReport> volumes;
  std::vector<PortReport> ports;
  std::optional<StartReport> start;
};

[[nodiscard]] json::object to_json(const StartReport& report);
[[nodiscard]] json::object to_json(const AgentReport& report);
// Missing members read as their defaults; kInvalid only when the text is no JSON object.
[[nodiscard]] StartReport start_report_from(const json::object& object);
[[nodiscard]] Result<AgentReport> parse_agent_report(std::string_view text);

}  // namespace davit::blocknode
