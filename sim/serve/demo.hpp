// The cluster that `davit-sim serve` shows: three workers, a running Davit, and Block Nodes in
// namespace "hiero", with publishers that find them when they serve.
//
//   Demo demo({.seed = 7, .block_nodes = 3}, wall_time_now);
//   demo.advance(std::chrono::seconds(1));
//
// On the virtual loop of its World; one thread. The simulated clock starts at the time given.
#pragma once

#include <memory>
#include <string>

#include "sim/life/world.hpp"

namespace davit::sim {

struct DemoOptions {
  std::uint64_t seed = 1;
  unsigned workers = 3;
  unsigned block_nodes = 2;
  unsigned blocks_per_second = 1;
};

class Demo {
 public:
  Demo(DemoOptions options, WallTime now);

  World world;
  void advance(Duration time);

 private:
  void add_block_nodes();
  [[nodiscard]] std::string pod_log(const Route& route) const;
  DemoOptions options_;
};

inline constexpr const char* kDemoNamespace = "hiero";

}  // namespace davit::sim
