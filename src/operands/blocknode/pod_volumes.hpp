// The volumes of a node's pod: the claims in use, and how they are mounted. Pure; any thread.
//
// plugins may be left out (an image with plugins inside); the other four are always there in a
// valid spec.
#pragma once

#include <string>
#include <vector>

#include "operands/blocknode/layout.hpp"
#include "operands/blocknode/types.hpp"

namespace davit::blocknode {

struct MountedClaim {
  const VolumeLayout* layout;
  const VolumeSpec* spec;
  std::string path;  // with the version filled in
};

// spec.storage.<key> of a volume of the layout.
[[nodiscard]] const VolumeSpec& volume_spec(const StorageSpec& storage, std::string_view key);
// In the layout's order, without volumes that have neither size nor existingClaim. Borrows from
// `spec`.
[[nodiscard]] std::vector<MountedClaim> mounted_claims(const BlockNodeSpec& spec);
// existingClaim, or the name of the claim Davit makes.
[[nodiscard]] std::string claim_of(const BlockNode& node, const MountedClaim& claim);

[[nodiscard]] json::array claim_volumes(const BlockNode& node);     // spec.volumes
[[nodiscard]] json::array claim_mounts(const BlockNodeSpec& spec);  // volumeMounts
[[nodiscard]] json::object mount(std::string_view name, std::string_view path, bool read_only);
[[nodiscard]] json::object empty_dir(std::string_view name, std::string_view limit);

}  // namespace davit::blocknode
