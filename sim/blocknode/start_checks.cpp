#include "sim/blocknode/start_checks.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>
#include <charconv>

#include "operands/blocknode/layout.hpp"
#include "wire/json.hpp"

namespace davit::sim {

namespace {

constexpr std::string_view kQuarantine = ".davit-quarantine";
constexpr std::string_view kVerified = ".davit-verified";

std::string below(const std::string& folder, std::string_view name) {
  return folder + "/" + std::string(name);
}

std::string text_of(std::errc error) { return std::make_error_code(error).message(); }

std::unexpected<Error> mismatch(std::string message) {
  return fail(Error(Code::kConflict, std::move(message)).with_reason("VolumeIdentityMismatch"));
}

std::unexpected<Error> not_writable(const std::string& path, std::errc error) {
  return fail(
      Error(Code::kInvalid,
            fmt::format(
                "{} cannot be written: {}. Make the volume writable for user {} or free space",
                path, text_of(error), blocknode::kUser))
          .with_reason("VolumeNotWritable"));
}

bool is_data_role(std::string_view role) {
  return std::ranges::any_of(blocknode::kVolumes, [&](const blocknode::VolumeLayout& layout) {
    return layout.suffix == role && layout.data;
  });
}

struct Identity {
  std::string node, network, role;
  friend bool operator==(const Identity&, const Identity&) = default;
};

Result<std::optional<Identity>> read_identity(const standin::Volume& files,
                                              const std::string& volume) {
  const std::string file = below(volume, blocknode::kIdentityFile);
  const auto text = files.read(file);
  if (!text) return std::optional<Identity>();
  const auto object = wire::parse_json_object(*text);
  if (!object) {
    return mismatch(
        fmt::format("{} cannot be read, so nobody knows whose data this is. Check the "
                    "volume; if it is this node's, remove that file and start again",
                    file));
  }
  return std::optional(Identity{.node = std::string(wire::find_string(*object, "node")),
                                .network = std::string(wire::find_string(*object, "network")),
                                .role = std::string(wire::find_string(*object, "role"))});
}

Status write_identity(standin::Volume& files, const std::string& volume, const Identity& identity) {
  const json::object object{
      {"node", identity.node}, {"network", identity.network}, {"role", identity.role}};
  const std::string target = below(volume, blocknode::kIdentityFile);
  if (auto done = files.write(target + ".new", wire::pretty(object)); !done) {
    return not_writable(volume, done.error());
  }
  if (auto done = files.rename(target + ".new", target); !done) {
    return not_writable(volume, done.error());
  }
  return {};
}

// access(W_OK): says no on a read-only file system, yes on a full one.
standin::VolumeResult<void> may_write(standin::Volume& files, const std::string& volume) {
  const std::string file = below(volume, ".davit-access");
  if (auto written = files.write(file, {}); !written) return written;
  return files.remove(file);
}

// Every frame from its header to its end, without decompressing.
bool is_whole_zstd(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t frame = ZSTD_findFrameCompressedSize(bytes.data(), bytes.size());
    if (ZSTD_isError(frame) != 0U) return false;
    bytes.remove_prefix(frame);
  }
  return true;
}

bool is_broken(std::string_view name, std::string_view bytes) {
  return bytes.empty() || (name.ends_with(".zstd") && !is_whole_zstd(bytes));
}

// The number in "0000000000000000082.blk.zstd" or "….blk".
std::optional<std::uint64_t> block_number(std::string_view name) {
  constexpr std::size_t kDigits = 19;
  if (!name.ends_with(".blk") && !name.ends_with(".blk.zstd")) return std::nullopt;
  if (name.size() <= kDigits || name[kDigits] != '.') return std::nullopt;
  const std::string digits(name.substr(0, kDigits));
  const char* end = digits.data() + digits.size();
  std::uint64_t number = 0;
  const auto [stop, failure] = std::from_chars(digits.data(), end, number);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return number;
}

using NumberedFile = std::pair<std::uint64_t, std::string>;

void find_new_files(const standin::Volume& files, const std::string& folder,
                    std::optional<std::uint64_t> verified, std::vector<NumberedFile>& out) {
  const auto entries = files.list(folder);
  if (!entries) return;
  for (const standin::Volume::Entry& entry : *entries) {
    if (entry.is_directory) {
      if (entry.name != kQuarantine && entry.name != "links" && entry.name != "zipwork" &&
          entry.name != "lost+found") {
        find_new_files(files, below(folder, entry.name), verified, out);
      }
      continue;
    }
    const auto number = block_number(entry.name);
    if (number && (!verified || *number > *verified)) {
      out.emplace_back(*number, below(folder, entry.name));
    }
  }
}

std::optional<std::uint64_t> read_verified(const standin::Volume& files, const std::string& root) {
  const auto text = files.read(below(root, kVerified));
  std::uint64_t number = 0;
  if (!text) return std::nullopt;
  const auto parsed = std::from_chars(text->data(), text->data() + text->size(), number);
  if (parsed.ec != std::errc{}) return std::nullopt;
  return number;
}

void refuse(blocknode::StartReport& report, const Error& error) {
  report.refused = true;
  report.reason = std::string(error.reason());
  report.message = error.describe();
}

}  // namespace

std::optional<StartOrder> start_order(const std::vector<std::string>& command) {
  if (command.empty() || !command.front().ends_with("davit-start")) return std::nullopt;
  StartOrder order;
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& flag = command[i];
    if (flag == "--install") return std::nullopt;
    if (flag == "--") {
      if (i + 1 < command.size()) order.program = command[i + 1];
      break;
    }
    if (++i == command.size()) return std::nullopt;
    const std::string& value = command[i];
    if (flag == "--node") order.node = value;
    if (flag == "--network") order.network = value;
    if (flag == "--volume") {
      const auto equals = value.find('=');
      if (equals == std::string::npos) return std::nullopt;
      order.volumes.push_back({value.substr(0, equals), value.substr(equals + 1)});
    }
  }
  if (order.program.empty()) return std::nullopt;
  return order;
}

Status claim_volumes(standin::Volume& files, const std::vector<RoleMount>& volumes,
                     const std::string& node, const std::string& network) {
  std::vector<const RoleMount*> unmarked;
  const RoleMount* marked_data = nullptr;
  for (const RoleMount& volume : volumes) {
    if (!files.list(volume.path)) return not_writable(volume.path, std::errc::not_a_directory);
    if (auto may = may_write(files, volume.path); !may) {
      return not_writable(volume.path, may.error());
    }
    const auto found = read_identity(files, volume.path);
    if (!found) return fail(found.error());
    if (!*found) {
      unmarked.push_back(&volume);
      continue;
    }
    if (**found != Identity{.node = node, .network = network, .role = volume.role}) {
      return mismatch(fmt::format(
          "the {} volume belongs to node {} of network {} as its {} volume, not to {} of {}. Bind "
          "this node's own volume to the claim; nothing was changed",
          volume.role, (*found)->node, (*found)->network, (*found)->role, node, network));
    }
    if (is_data_role(volume.role)) marked_data = &volume;
  }
  for (const RoleMount* volume : unmarked) {
    if (marked_data != nullptr && is_data_role(volume->role)) {
      return mismatch(fmt::format(
          "the {} volume carries no mark of {} although its {} volume does: it was replaced or "
          "emptied. Bind the former volume to the claim; nothing was changed",
          volume->role, node, marked_data->role));
    }
  }
  for (const RoleMount* volume : unmarked) {
    if (Status written = write_identity(files, volume->path,
                                        {.node = node, .network = network, .role = volume->role});
        !written) {
      return written;
    }
  }
  return {};
}

Result<std::vector<std::string>> quarantine_broken_blocks(standin::Volume& files,
                                                          const std::string& volume,
                                                          const std::string& root) {
  std::vector<std::string> moved;
  std::vector<NumberedFile> found;
  find_new_files(files, root, read_verified(files, root), found);
  std::ranges::sort(found);
  std::optional<std::uint64_t> newest_whole;
  for (const auto& [number, file] : found) {
    const auto bytes = files.read(file);
    if (!bytes || !is_broken(file, *bytes)) {
      newest_whole = number;
      continue;
    }
    const std::string relative = file.substr(volume.size() + 1);
    const std::string target = below(below(volume, kQuarantine), relative);
    auto done = files.make_directories(target.substr(0, target.rfind('/')));
    if (done) done = files.rename(file, target);
    if (!done) {
      return fail(Code::kUnavailable,
                  fmt::format("cannot move {} to {}: {}", file, target, text_of(done.error())));
    }
    moved.push_back(relative);
  }
  if (newest_whole) {
    (void)files.write(below(root, kVerified), std::to_string(*newest_whole) + "\n");
  }
  return moved;
}

blocknode::StartReport check_start(standin::Volume& files, const StartOrder& order,
                                   const std::string& image_program) {
  blocknode::StartReport report;
  if (Status claimed = claim_volumes(files, order.volumes, order.node, order.network); !claimed) {
    refuse(report, claimed.error());
    return report;
  }
  for (const RoleMount& volume : order.volumes) {
    if (volume.role != "live" && volume.role != "historic") continue;
    auto moved = quarantine_broken_blocks(
        files, volume.path, volume.role == "live" ? volume.path : below(volume.path, "staging"));
    if (!moved) {
      refuse(report, std::move(moved.error()).with_reason("VolumeNotWritable"));
      return report;
    }
    for (const std::string& file : *moved) report.quarantined.push_back(volume.role + "/" + file);
  }
  if (order.program != image_program) {
    refuse(report,
           Error(Code::kInvalid,
                 fmt::format("cannot run {}: No such file or directory. Check spec.version and "
                             "spec.image: the image must hold this version of the server",
                             order.program))
               .with_reason("ServerNotFound"));
  }
  return report;
}

}  // namespace davit::sim
