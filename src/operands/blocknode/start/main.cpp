// davit-start: see README.md beside this file.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "operands/blocknode/agent/agent_report.hpp"
#include "operands/blocknode/layout.hpp"
#include "operands/blocknode/start/identity.hpp"
#include "operands/blocknode/start/quarantine.hpp"

namespace davit::blocknode::start {
namespace {

namespace fs = std::filesystem;

constexpr int kUsage = 64;    // EX_USAGE
constexpr int kRefused = 78;  // EX_CONFIG

struct Options {
  std::string install;
  std::string node;
  std::string network;
  std::string report{kStartReport};
  std::vector<Volume> volumes;
  std::vector<char*> program;  // null-terminated, as execv wants it
};

int usage(const std::string& problem) {
  fmt::print(stderr,
             "davit-start: {}\n"
             "usage: davit-start --install DIR\n"
             "       davit-start --node NS/NAME --network NET [--report FILE] --volume ROLE=PATH … "
             "-- PROGRAM [ARGS…]\n",
             problem);
  return kUsage;
}

// An empty string: fine.
std::string parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view flag = argv[i];
    if (flag == "--") {
      options.program.assign(argv + i + 1, argv + argc);
      options.program.push_back(nullptr);
      break;
    }
    if (i + 1 >= argc) return fmt::format("{} needs a value", flag);
    const std::string value = argv[++i];
    if (flag == "--install") {
      options.install = value;
    } else if (flag == "--node") {
      options.node = value;
    } else if (flag == "--network") {
      options.network = value;
    } else if (flag == "--report") {
      options.report = value;
    } else if (flag == "--volume") {
      const auto equals = value.find('=');
      if (equals == std::string::npos) return fmt::format("--volume {}: not ROLE=PATH", value);
      options.volumes.push_back({value.substr(0, equals), value.substr(equals + 1)});
    } else {
      return fmt::format("unknown flag {}", flag);
    }
  }
  if (!options.install.empty()) return {};
  if (options.node.empty() || options.network.empty()) return "--node and --network are needed";
  if (options.program.size() < 2) return "no program after --";
  return {};
}

int install(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  fs::copy_file("/proc/self/exe", folder / "davit-start", fs::copy_options::overwrite_existing,
                error);
  if (!error) {
    fs::permissions(folder / "davit-start", fs::perms(0755), error);
  }
  if (error) {
    fmt::print(stderr, "davit-start: cannot install into {}: {}\n", folder.string(),
               error.message());
    return 1;
  }
  return 0;
}

void write_text(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  fs::create_directories(path.parent_path(), ignored);
  std::ofstream(path, std::ios::trunc) << text;
}

int refuse(const Options& options, StartReport report, const Error& error) {
  report.refused = true;
  report.reason = std::string(error.reason());
  report.message = error.describe();
  write_text(options.report, wire::pretty(to_json(report)));
  if (fs::exists("/dev/termination-log")) {
    write_text("/dev/termination-log", report.reason + ": " + report.message);
  }
  fmt::print(stderr, "davit-start: start refused: {}: {}\n", report.reason, report.message);
  return kRefused;
}

int start(const Options& options) {
  StartReport report;
  if (Status claimed = claim_volumes(options.volumes, options.node, options.network); !claimed) {
    return refuse(options, report, claimed.error());
  }
  for (const Volume& volume : options.volumes) {
    if (volume.role != "live" && volume.role != "historic") continue;
    const fs::path root = volume.role == "live" ? volume.path : volume.path / "staging";
    auto result = quarantine_broken_blocks(volume.path, root);
    if (!result) {
      return refuse(options, report, std::move(result.error()).with_reason("VolumeNotWritable"));
    }
    for (const std::string& file : result->moved) {
      fmt::print(stderr, "davit-start: {} of the {} volume was empty or cut short: quarantined\n",
                 file, volume.role);
      report.quarantined.push_back(volume.role + "/" + file);
    }
  }
  write_text(options.report, wire::pretty(to_json(report)));
  std::fflush(nullptr);
  ::execv(options.program.front(), options.program.data());
  return refuse(
      options, report,
      Error(Code::kInvalid, fmt::format("cannot run {}: {}. Check spec.version and spec.image: the "
                                        "image must hold this version of the server",
                                        options.program.front(), std::strerror(errno)))
          .with_reason("ServerNotFound"));
}

}  // namespace
}  // namespace davit::blocknode::start

int main(int argc, char** argv) {
  using namespace davit::blocknode::start;
  Options options;
  if (const std::string problem = parse(argc, argv, options); !problem.empty()) {
    return usage(problem);
  }
  return options.install.empty() ? start(options) : install(options.install);
}
