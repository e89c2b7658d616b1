// `blocknode-standin publish`: a publisher that behaves as a consensus node does.
//
// Finds out where the node is, streams blocks from there at a fixed rate, obeys skip, resend,
// behind and end-of-stream, starts a new stream when no acknowledgement comes for ten seconds, and
// tries for ever while the node is away. One line of progress per interval, one at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace davit::standin {

struct PublishOptions {
  std::string to;
  std::string access;  // host:port of getBlock; empty: same as `to`
  std::string status;  // host:port of serverStatus; empty: same as `to`
  double rate = 1;     // blocks a second; 0: as fast as they are acknowledged
  std::uint64_t size = 2048;
  std::optional<std::uint64_t> count;  // stop after so many acknowledged blocks
  std::string blocks_from = "auto";    // auto | genesis | a number
  std::uint64_t seed = 1;
  double interval = 5;  // seconds between progress lines
  int in_flight = 20;   // blocks sent and not yet acknowledged
};

int publish(const PublishOptions& options);

}  // namespace davit::standin
