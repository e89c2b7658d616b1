#include "operands/blocknode/observation.hpp"

#include "wire/prometheus.hpp"

namespace davit::blocknode {

namespace {

void fold_heights(Observation& observation, const ServerStatus& heights, Monotonic now) {
  const bool known = observation.heights.has_value();
  const auto before = known ? observation.heights->last : std::nullopt;
  if (known && heights.last && (!before || *heights.last > *before)) observation.grew_at = now;
  observation.heights = heights;
}

void fold_publishers(Observation& observation, std::int64_t open, Monotonic now) {
  observation.publishers = open;
  if (open > 0) {
    observation.publishers_gone_since.reset();
    if (!observation.publishers_since) observation.publishers_since = now;
  } else {
    observation.publishers_since.reset();
    if (!observation.publishers_gone_since) observation.publishers_gone_since = now;
  }
}

}  // namespace

void fold(Observation& observation, Round round, Monotonic now) {
  observation.asked_at = now;
  if (!observation.first_at) observation.first_at = now;
  if (round.run != observation.run) {
    observation.run = round.run;
    observation.last.reset();
    observation.lost_rounds = 0;
    observation.was_healthy = false;
    observation.detail.reset();
    observation.detail_at.reset();
    observation.block_problem.reset();
    observation.blocks_at.reset();
    observation.bad_block_rounds = 0;
  }
  if (round.lost()) {
    if (++observation.lost_rounds == 1 && observation.last) return;
  } else {
    observation.lost_rounds = 0;
  }
  if (round.health && round.health->status == 200) observation.was_healthy = true;
  if (round.heights) fold_heights(observation, *round.heights, now);
  if (round.detail && *round.detail) {
    observation.detail = **round.detail;
    observation.detail_at = now;
  }
  if (round.publishers && *round.publishers) fold_publishers(observation, **round.publishers, now);
  if (round.block_problem) {
    observation.bad_block_rounds =
        round.block_problem->empty() ? 0 : observation.bad_block_rounds + 1;
    // Retention may take a block between two questions: believed when seen twice.
    if (observation.bad_block_rounds != 1) {
      observation.block_problem = round.block_problem;
      observation.blocks_at = now;
    }
  }
  observation.last = std::move(round);
}

std::optional<std::int64_t> publisher_connections(std::string_view metrics) {
  const auto open = wire::parse_metrics(metrics).value("blocknode_publisher_open_connections");
  return open ? std::optional(static_cast<std::int64_t>(*open)) : std::nullopt;
}

}  // namespace davit::blocknode
