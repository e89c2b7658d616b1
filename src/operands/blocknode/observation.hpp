// Observation: what a Block Node has said to Davit, accumulated over probing rounds. In memory
// only, one per BlockNode; after a restart of Davit it is rebuilt by asking again.
//
//   Round round = co_await ask(probe, loop, random, question);   // observe.hpp
//   fold(observation, round, now);                               // pure
//
// One lost round is not believed: the answers of the round before stay, and the next comes soon. A
// new run of the server (new pod, or restarted container) forgets what was said before, but for the
// height.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "operands/blocknode/agent/agent_report.hpp"
#include "operands/blocknode/node_probe.hpp"

namespace davit::blocknode {

// Everything the node answered to one round of questions.
struct Round {
  std::string run;  // which run of the server was asked: pod UID and restart count
  Result<HealthReply> health;
  Result<ServerStatus> heights;
  Result<AgentReport> agent;
  std::vector<std::string> silent_ports;           // "publisher (40984)"
  std::optional<Result<ServerDetail>> detail;      // absent: not asked this time
  std::optional<Result<std::int64_t>> publishers;  // open connections; absent: no such metric
  std::optional<std::string> block_problem;  // "" = all asked blocks are good; absent: not asked

  // Nothing at all answered.
  [[nodiscard]] bool lost() const { return !health && !heights && !agent; }
};

struct Observation {
  std::string run;
  std::optional<Round> last;          // of this run
  std::optional<Monotonic> asked_at;  // end of the last round
  std::optional<Monotonic> first_at;  // of this process, any run
  int lost_rounds = 0;                // in a row
  bool was_healthy = false;           // in this run
  std::optional<ServerDetail> detail;
  std::optional<Monotonic> detail_at;
  std::optional<std::string> block_problem;  // "" = good
  std::optional<Monotonic> blocks_at;
  int bad_block_rounds = 0;  // in a row

  std::optional<ServerStatus> heights;  // last known, any run
  std::optional<Monotonic> grew_at;     // when the height was last seen to rise
  std::optional<std::int64_t> publishers;
  std::optional<Monotonic> publishers_since;  // connected without a gap
  std::optional<Monotonic> publishers_gone_since;
};

void fold(Observation& observation, Round round, Monotonic now);

// Open publisher connections in a node's metrics text; nullopt when the metric is not there.
[[nodiscard]] std::optional<std::int64_t> publisher_connections(std::string_view metrics);

}  // namespace davit::blocknode
