// What the agent finds out about one mounted volume: space, and whether it takes a write.
//
// Blocking calls on purpose: a disk that hangs makes the agent's probes time out, which is the
// truth.
#pragma once

#include <filesystem>
#include <string>

#include "operands/blocknode/agent/agent_report.hpp"

namespace davit::blocknode {

struct MountedVolume {
  std::string role;
  std::filesystem::path path;
};

// Space from statvfs, then 4 KiB written, synced and removed.
[[nodiscard]] VolumeReport check_volume(const MountedVolume& volume);

}  // namespace davit::blocknode
