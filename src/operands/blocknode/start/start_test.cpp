#include <gtest/gtest.h>
#include <unistd.h>
#include <zstd.h>

#include <fstream>
#include <string>

#include "operands/blocknode/start/identity.hpp"
#include "operands/blocknode/start/quarantine.hpp"
#include "operands/blocknode/start/zstd_frame.hpp"

namespace davit::blocknode::start {
namespace {

namespace fs = std::filesystem;

class Start : public testing::Test {
 protected:
  Start() {
    std::string pattern = (fs::temp_directory_path() / "davit-start-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
  }
  ~Start() override { fs::remove_all(root_); }

  fs::path folder(const std::string& name) {
    fs::create_directories(root_ / name);
    return root_ / name;
  }
  static void write(const fs::path& file, const std::string& bytes) {
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
  }
  static std::string compressed(std::size_t size) {
    std::string text(size, '\0');
    for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>((i * 2654435761U) >> 13);
    std::string out(ZSTD_compressBound(size), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
  }
  std::vector<Volume> volumes() {
    return {{"live", folder("live")}, {"historic", folder("historic")}, {"logs", folder("logs")}};
  }

  fs::path root_;
};

TEST_F(Start, AZstdFileCutAtAnyByteIsNotWhole) {
  const std::string whole = compressed(5000);
  const fs::path file = root_ / "block.zstd";
  for (std::size_t length = 0; length <= whole.size(); length += length < 40 ? 1 : 97) {
    write(file, whole.substr(0, length));
    EXPECT_NE(check_zstd_file(file), Wholeness::kWhole) << length;
  }
  write(file, whole.substr(0, whole.size() - 1));
  EXPECT_EQ(check_zstd_file(file), Wholeness::kCut);
  write(file, whole);
  EXPECT_EQ(check_zstd_file(file), Wholeness::kWhole);
  write(file, whole + whole);
  EXPECT_EQ(check_zstd_file(file), Wholeness::kWhole) << "frames may follow each other";
}

TEST_F(Start, AFirstStartMarksAllVolumesAndASecondAcceptsThem) {
  ASSERT_TRUE(claim_volumes(volumes(), "ns/a", "solo"));
  EXPECT_EQ((*read_identity(root_ / "live"))->node, "ns/a");
  EXPECT_TRUE(claim_volumes(volumes(), "ns/a", "solo"));
}

TEST_F(Start, AForeignVolumeIsRefusedAndNothingIsMarked) {
  ASSERT_TRUE(write_identity(folder("historic"), {"ns/b", "solo", "historic"}));
  const Status status = claim_volumes(volumes(), "ns/a", "solo");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().reason(), "VolumeIdentityMismatch");
  EXPECT_NE(status.error().message().find("ns/b"), std::string::npos);
  EXPECT_FALSE(fs::exists(root_ / "live" / ".davit-volume.json"));
}

TEST_F(Start, AnEmptiedDataVolumeBesideAMarkedOneIsRefused) {
  ASSERT_TRUE(claim_volumes(volumes(), "ns/a", "solo"));
  fs::remove_all(root_ / "live");
  const Status status = claim_volumes(volumes(), "ns/a", "solo");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().reason(), "VolumeIdentityMismatch");
}

TEST_F(Start, AFreshLogVolumeIsMarkedAnew) {
  ASSERT_TRUE(claim_volumes(volumes(), "ns/a", "solo"));
  fs::remove_all(root_ / "logs");
  EXPECT_TRUE(claim_volumes(volumes(), "ns/a", "solo"));
}

TEST_F(Start, AnUnreadableMarkIsRefused) {
  write(folder("live") / ".davit-volume.json", "{");
  const Status status = claim_volumes(volumes(), "ns/a", "solo");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().reason(), "VolumeIdentityMismatch");
}

fs::path block(std::uint64_t number) {
  std::string name = std::to_string(number);
  name.insert(0, 19 - name.size(), '0');
  return fs::path("000/000/000/000/000/0") / (name + ".blk.zstd");
}

TEST_F(Start, EmptyAndCutBlocksAreQuarantinedAndWholeOnesStay) {
  const fs::path live = folder("live");
  write(live / block(1), compressed(100));
  write(live / block(2), "");
  write(live / block(3), compressed(100).substr(0, 20));
  const auto result = quarantine_broken_blocks(live, live);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->moved, (std::vector<std::string>{block(2).string(), block(3).string()}));
  EXPECT_TRUE(fs::exists(live / block(1)));
  EXPECT_TRUE(fs::exists(live / ".davit-quarantine" / block(3)));
}

TEST_F(Start, BlocksFoundWholeBeforeAreNotReadAgain) {
  const fs::path live = folder("live");
  write(live / block(1), compressed(100));
  ASSERT_EQ(quarantine_broken_blocks(live, live)->checked, 1u);
  write(live / block(2), compressed(100));
  EXPECT_EQ(quarantine_broken_blocks(live, live)->checked, 1u);
}

TEST_F(Start, OtherFilesAreLeftAlone) {
  const fs::path live = folder("live");
  write(live / "notes.txt", "");
  write(live / "links" / block(9), "");
  EXPECT_TRUE(quarantine_broken_blocks(live, live)->moved.empty());
  EXPECT_FALSE(block_number("0000.zip"));
  EXPECT_EQ(block_number("0000000000000000082.blk"), 82u);
}

}  // namespace
}  // namespace davit::blocknode::start
