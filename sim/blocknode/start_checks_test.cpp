// The simulated start wrapper against the real one: the same files in, the same verdict and the
// same files out.
#include "sim/blocknode/start_checks.hpp"

#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "operands/blocknode/layout.hpp"
#include "operands/blocknode/start/identity.hpp"
#include "operands/blocknode/start/quarantine.hpp"
#include "standin/blocknode/model/memory_volume.hpp"

namespace davit::sim {
namespace {

namespace fs = std::filesystem;
namespace real = blocknode::start;

using Files = std::map<std::string, std::string>;  // "live/a": bytes

constexpr const char* kRoles[] = {"live", "historic", "application-state", "logs"};
constexpr const char* kFolder = "000/000/000/000/000/0/";

std::string mark(const std::string& node, const std::string& network, const std::string& role) {
  return R"({"node": ")" + node + R"(", "network": ")" + network + R"(", "role": ")" + role + "\"}";
}

std::string whole_block() {
  const std::string text(300, 'x');
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

struct Verdict {
  std::string reason;   // empty: the server may start
  std::string message;  // with "ROOT" for the folder of the volumes
  std::vector<std::string> moved;
  Files files;
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

std::ostream& operator<<(std::ostream& out, const Verdict& verdict) {
  out << verdict.reason << " " << verdict.message << "\n";
  for (const std::string& path : verdict.moved) out << "moved " << path << "\n";
  for (const auto& [path, bytes] : verdict.files) out << path << " " << bytes.size() << " bytes\n";
  return out;
}

void take(Verdict& verdict, const Error& error, const std::string& root) {
  verdict.reason = error.reason();
  verdict.message = error.message();
  for (std::size_t at; (at = verdict.message.find(root)) != std::string::npos;) {
    verdict.message.replace(at, root.size(), "ROOT");
  }
}

Verdict simulated(const Files& files) {
  standin::MemoryVolume volume;
  for (const char* role : kRoles) (void)volume.make_directories("/root/" + std::string(role));
  for (const auto& [path, bytes] : files) {
    const std::string full = "/root/" + path;
    (void)volume.make_directories(full.substr(0, full.rfind('/')));
    (void)volume.write(full, bytes);
  }
  std::vector<RoleMount> mounts;
  for (const char* role : kRoles) mounts.push_back({role, "/root/" + std::string(role)});
  Verdict out;
  if (const Status claimed = claim_volumes(volume, mounts, "ns/a", "solo"); !claimed) {
    take(out, claimed.error(), "/root");
  } else if (auto moved = quarantine_broken_blocks(volume, "/root/live", "/root/live"); !moved) {
    take(out, moved.error(), "/root");
  } else {
    out.moved = *moved;
  }
  volume.for_each_file([&](const std::string& path, const std::string& bytes) {
    out.files[path.substr(std::string("/root/").size())] = bytes;
  });
  return out;
}

Verdict on_a_disk(const Files& files) {
  std::string pattern = (fs::temp_directory_path() / "start-checks-XXXXXX").string();
  const fs::path root = ::mkdtemp(pattern.data());
  for (const char* role : kRoles) fs::create_directories(root / role);
  for (const auto& [path, bytes] : files) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path, std::ios::binary) << bytes;
  }
  std::vector<real::Volume> volumes;
  for (const char* role : kRoles) volumes.push_back({role, root / role});
  Verdict out;
  if (const Status claimed = real::claim_volumes(volumes, "ns/a", "solo"); !claimed) {
    take(out, claimed.error(), root.string());
  } else if (auto moved = real::quarantine_broken_blocks(root / "live", root / "live"); !moved) {
    take(out, moved.error(), root.string());
  } else {
    out.moved = moved->moved;
  }
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    out.files[fs::relative(entry.path(), root).string()] = bytes.str();
  }
  fs::remove_all(root);
  return out;
}

struct Row {
  const char* name;
  Files files;
};

std::string block(int number) {
  std::string digits = std::to_string(number);
  digits.insert(0, 19 - digits.size(), '0');
  return "live/" + std::string(kFolder) + digits + ".blk.zstd";
}

std::vector<Row> table() {
  const std::string file = "/" + std::string(blocknode::kIdentityFile);
  const auto ours = [](const char* role) { return mark("ns/a", "solo", role); };
  const std::string good = whole_block();
  return {
      {"FreshVolumes", {}},
      {"AllMarked",
       {{"live" + file, ours("live")},
        {"historic" + file, ours("historic")},
        {"application-state" + file, ours("application-state")},
        {"logs" + file, ours("logs")}}},
      {"AFreshLogVolume",
       {{"live" + file, ours("live")},
        {"historic" + file, ours("historic")},
        {"application-state" + file, ours("application-state")}}},
      {"AnEmptiedDataVolume",
       {{"historic" + file, ours("historic")},
        {"application-state" + file, ours("application-state")}}},
      {"OnlyTheLogsAreMarked", {{"logs" + file, ours("logs")}}},
      {"AVolumeOfAnotherNode", {{"live" + file, mark("ns/b", "solo", "live")}}},
      {"AVolumeOfAnotherNetwork", {{"live" + file, mark("ns/a", "mainnet", "live")}}},
      {"AVolumeOfAnotherRole", {{"live" + file, ours("historic")}}},
      {"AMarkThatCannotBeRead", {{"live" + file, "{"}}},
      {"EmptyCutAndWholeBlocks",
       {{block(1), good},
        {block(2), ""},
        {block(3), good.substr(0, good.size() - 1)},
        {block(4), good},
        {block(5), "not a frame"}}},
      {"OtherFilesAndFolders",
       {{"live/notes.txt", ""},
        {"live/links/0000000000000000009.blk.zstd", ""},
        {"live/.davit-quarantine/0000000000000000008.blk.zstd", ""}}},
      {"BlocksFoundWholeBefore",
       {{"live/.davit-verified", "3\n"}, {block(2), ""}, {block(3), good}, {block(4), ""}}},
  };
}

class StartChecks : public testing::TestWithParam<Row> {};

TEST_P(StartChecks, AreThoseOfTheRealWrapper) {
  EXPECT_EQ(simulated(GetParam().files), on_a_disk(GetParam().files));
}

INSTANTIATE_TEST_SUITE_P(Table, StartChecks, testing::ValuesIn(table()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace davit::sim
