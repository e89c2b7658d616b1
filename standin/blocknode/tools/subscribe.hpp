// `blocknode-standin subscribe`: reads blocks back and verifies the chain, hash by hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace davit::standin {

struct SubscribeOptions {
  std::string from;
  std::string status;                  // host:port of serverStatus; empty: same as `from`
  std::optional<std::uint64_t> first;  // default: the node's first block
  std::optional<std::uint64_t> last;   // default: the node's last block at the start
  bool follow = false;                 // no end: until interrupted
  std::uint64_t seed = 1;              // of the network's trust material
};

// Prints "verified blocks A..B"; 0 only when every block was there, whole and linked.
int subscribe(const SubscribeOptions& options);

}  // namespace davit::standin
