// Discovery: which server this is and which APIs it has. One request per question; nothing is
// cached.
#pragma once

#include <string>

#include "kube/client.hpp"

namespace davit::kube {

struct ServerVersion {
  int major = 0;
  int minor = 0;            // "33+" counts as 33
  std::string git_version;  // "v1.36.3"

  [[nodiscard]] bool at_least(int wanted_major, int wanted_minor) const {
    return major > wanted_major || (major == wanted_major && minor >= wanted_minor);
  }
};

io::Task<Result<ServerVersion>> server_version(Client& client);
// The version of the group is served and has the resource (snapshots, gateways, Davit's own CRDs).
io::Task<Result<bool>> has_resource(Client& client, Resource resource);
// Any version of the group is served.
io::Task<Result<bool>> has_group(Client& client, std::string group);

}  // namespace davit::kube
