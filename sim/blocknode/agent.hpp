// SimulatedAgent: `davit agent watch` in a Block Node's pod: the report Davit reads and the
// readiness the kubelet asks for, from the simulated disks and ports.
//
// As the real one (src/operands/blocknode/agent) it answers from its last round: what it says of
// ports may be 5 s old, of volumes 10 s. Rounds are made up when somebody asks. One thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/loop.hpp"
#include "operands/blocknode/agent/agent_report.hpp"
#include "sim/blocknode/mounts.hpp"
#include "sim/blocknode/server.hpp"
#include "sim/blocknode/start_checks.hpp"

namespace davit::sim {

class SimulatedAgent {
 public:
  // `arguments` as in the pod: "agent", "watch", "--volume", …
  SimulatedAgent(io::Loop& loop, const std::vector<std::string>& arguments,
                 std::unique_ptr<Mounts> mounts);

  [[nodiscard]] std::uint16_t port() const { return port_; }
  // `server`: the one in the same pod; null: none runs.
  [[nodiscard]] bool is_ready(const Server* server);
  // The body of /report.
  [[nodiscard]] std::string report(const Server* server);

 private:
  void look(const Server* server);
  [[nodiscard]] blocknode::VolumeReport check(const RoleMount& volume);

  io::Loop* loop_;
  std::unique_ptr<Mounts> mounts_;
  std::uint16_t port_ = 0;
  std::vector<RoleMount> volumes_;
  std::string start_report_;
  blocknode::AgentReport report_;
  std::optional<Monotonic> ports_at_, volumes_at_;
};

}  // namespace davit::sim
