// Agent: keeps an AgentReport current and answers HTTP from it. See README.md beside this file.
//
// One coroutine tries ports every 5 s, one tests volumes every 10 s; answers come from what they
// last found, so a probe costs nothing. Before the first round `readyz` is 503. One thread: that of
// the Loop.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/asio_loop.hpp"
#include "io/http.hpp"
#include "operands/blocknode/agent/agent_report.hpp"
#include "operands/blocknode/agent/volume_check.hpp"

namespace davit::blocknode {

struct AgentOptions {
  std::vector<MountedVolume> volumes;
  std::vector<PortReport> ports;  // name and port
  std::filesystem::path start_report;
  Duration port_period{std::chrono::seconds(5)};
  Duration volume_period{std::chrono::seconds(10)};
};

class Agent {
 public:
  Agent(io::AsioLoop& loop, AgentOptions options);

  // Until destroyed.
  io::Task<void> run();
  [[nodiscard]] io::HttpResponse answer(const io::HttpRequest& request) const;

 private:
  io::Task<void> watch_ports();
  io::Task<void> watch_volumes();
  [[nodiscard]] std::string what_is_not_ready() const;
  [[nodiscard]] AgentReport report() const;

  io::AsioLoop* loop_;
  AgentOptions options_;
  AgentReport report_;
  bool ports_known_ = false;
};

}  // namespace davit::blocknode
