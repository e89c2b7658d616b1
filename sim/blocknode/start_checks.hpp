// What davit-start decides before it lets a server run, over a simulated file system.
//
// The same decisions as src/operands/blocknode/start (identity.hpp, quarantine.hpp), which is bound
// to std::filesystem and fsync; start_checks_test.cpp runs one table against both. Pure functions
// of the files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "operands/blocknode/agent/agent_report.hpp"
#include "standin/blocknode/model/volume.hpp"

namespace davit::sim {

// "--volume live=/opt/hiero/block-node/data/live"
struct RoleMount {
  std::string role;
  std::string path;
};

// The arguments of davit-start.
struct StartOrder {
  std::string node;  // "hiero/bn1"
  std::string network;
  std::vector<RoleMount> volumes;
  std::string program;  // what it runs at the end
};
// Of a container's command; nullopt: it does not run davit-start, or only installs it.
[[nodiscard]] std::optional<StartOrder> start_order(const std::vector<std::string>& command);

// Reason VolumeIdentityMismatch or VolumeNotWritable; then no volume was changed.
[[nodiscard]] Status claim_volumes(standin::Volume& files, const std::vector<RoleMount>& volumes,
                                   const std::string& node, const std::string& network);
// Moves what a kill or a full disk left behind out of the server's sight; the paths moved, relative
// to `volume`.
[[nodiscard]] Result<std::vector<std::string>> quarantine_broken_blocks(standin::Volume& files,
                                                                        const std::string& volume,
                                                                        const std::string& root);

// All of it: what the agent reads afterwards in start.json. `image_program`: what the image holds.
[[nodiscard]] blocknode::StartReport check_start(standin::Volume& files, const StartOrder& order,
                                                 const std::string& image_program);

}  // namespace davit::sim
