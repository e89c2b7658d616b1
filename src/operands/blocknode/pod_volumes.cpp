#include "operands/blocknode/pod_volumes.hpp"

#include "operands/blocknode/names.hpp"

namespace davit::blocknode {

const VolumeSpec& volume_spec(const StorageSpec& storage, std::string_view key) {
  if (key == "live") return storage.live;
  if (key == "historic") return storage.historic;
  if (key == "applicationState") return storage.application_state;
  if (key == "logs") return storage.logs;
  return storage.plugins;
}

std::vector<MountedClaim> mounted_claims(const BlockNodeSpec& spec) {
  std::vector<MountedClaim> claims;
  for (const VolumeLayout& layout : kVolumes) {
    const VolumeSpec& volume = volume_spec(spec.storage, layout.key);
    if (!volume.size && !volume.existing_claim) continue;
    std::string path(layout.mount);
    constexpr std::string_view kVersion = "{version}";
    if (const auto at = path.find(kVersion); at != std::string::npos) {
      path.replace(at, kVersion.size(), spec.version);
    }
    claims.push_back({&layout, &volume, std::move(path)});
  }
  return claims;
}

std::string claim_of(const BlockNode& node, const MountedClaim& claim) {
  return claim.spec->existing_claim ? *claim.spec->existing_claim
                                    : claim_name(node.key, *claim.layout);
}

json::array claim_volumes(const BlockNode& node) {
  json::array volumes;
  for (const MountedClaim& claim : mounted_claims(node.spec)) {
    volumes.push_back(json::object{
        {"name", claim.layout->suffix},
        {"persistentVolumeClaim", json::object{{"claimName", claim_of(node, claim)}}}});
  }
  return volumes;
}

json::array claim_mounts(const BlockNodeSpec& spec) {
  json::array mounts;
  for (const MountedClaim& claim : mounted_claims(spec)) {
    mounts.push_back(mount(claim.layout->suffix, claim.path, false));
  }
  return mounts;
}

json::object mount(std::string_view name, std::string_view path, bool read_only) {
  json::object mount{{"name", name}, {"mountPath", path}};
  if (read_only) mount["readOnly"] = true;
  return mount;
}

json::object empty_dir(std::string_view name, std::string_view limit) {
  return {{"name", name}, {"emptyDir", json::object{{"sizeLimit", limit}}}};
}

}  // namespace davit::blocknode
