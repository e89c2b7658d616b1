#include "operands/blocknode/start/identity.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "operands/blocknode/layout.hpp"
#include "wire/json.hpp"

namespace davit::blocknode::start {

namespace fs = std::filesystem;

namespace {

std::unexpected<Error> mismatch(std::string message) {
  return fail(Error(Code::kConflict, std::move(message)).with_reason("VolumeIdentityMismatch"));
}

std::unexpected<Error> not_writable(const fs::path& path, int error) {
  return fail(
      Error(Code::kInvalid,
            fmt::format(
                "{} cannot be written: {}. Make the volume writable for user {} or free space",
                path.string(), std::strerror(error), kUser))
          .with_reason("VolumeNotWritable"));
}

// Writes, syncs and closes; errno of the first failure, 0 if none.
int write_file(const fs::path& path, std::string_view text) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return errno;
  int error = 0;
  if (::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    error = errno == 0 ? ENOSPC : errno;
  }
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  ::close(fd);
  return error;
}

}  // namespace

bool is_data_role(std::string_view role) {
  for (const VolumeLayout& layout : kVolumes) {
    if (layout.suffix == role) return layout.data;
  }
  return false;
}

Result<std::optional<Identity>> read_identity(const fs::path& volume) {
  const fs::path file = volume / kIdentityFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return std::nullopt;
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  const auto object = wire::parse_json_object(text.str());
  if (!in || !object) {
    return mismatch(
        fmt::format("{} cannot be read, so nobody knows whose data this is. Check the "
                    "volume; if it is this node's, remove that file and start again",
                    file.string()));
  }
  return Identity{.node = std::string(wire::find_string(*object, "node")),
                  .network = std::string(wire::find_string(*object, "network")),
                  .role = std::string(wire::find_string(*object, "role"))};
}

Status write_identity(const fs::path& volume, const Identity& identity) {
  const json::object object{
      {"node", identity.node}, {"network", identity.network}, {"role", identity.role}};
  const fs::path target = volume / kIdentityFile;
  const fs::path draft = volume / (std::string(kIdentityFile) + ".new");
  if (const int error = write_file(draft, wire::pretty(object)); error != 0) {
    return not_writable(volume, error);
  }
  if (::rename(draft.c_str(), target.c_str()) != 0) return not_writable(volume, errno);
  return {};
}

Status claim_volumes(const std::vector<Volume>& volumes, const std::string& node,
                     const std::string& network) {
  std::vector<const Volume*> unmarked;
  const Volume* marked_data = nullptr;
  for (const Volume& volume : volumes) {
    std::error_code error;
    if (!fs::is_directory(volume.path, error)) return not_writable(volume.path, ENOTDIR);
    if (::access(volume.path.c_str(), W_OK) != 0) return not_writable(volume.path, errno);
    const auto found = read_identity(volume.path);
    if (!found) return fail(found.error());
    if (!*found) {
      unmarked.push_back(&volume);
      continue;
    }
    const Identity wanted{.node = node, .network = network, .role = volume.role};
    if (**found != wanted) {
      return mismatch(fmt::format(
          "the {} volume belongs to node {} of network {} as its {} volume, not to {} of {}. Bind "
          "this node's own volume to the claim; nothing was changed",
          volume.role, (*found)->node, (*found)->network, (*found)->role, node, network));
    }
    if (is_data_role(volume.role)) marked_data = &volume;
  }
  for (const Volume* volume : unmarked) {
    if (marked_data != nullptr && is_data_role(volume->role)) {
      return mismatch(fmt::format(
          "the {} volume carries no mark of {} although its {} volume does: it was replaced or "
          "emptied. Bind the former volume to the claim; nothing was changed",
          volume->role, node, marked_data->role));
    }
  }
  for (const Volume* volume : unmarked) {
    const Identity identity{.node = node, .network = network, .role = volume->role};
    if (Status written = write_identity(volume->path, identity); !written) return written;
  }
  return {};
}

}  // namespace davit::blocknode::start
