// Generated files are committed; these tests fail when one is stale.
// To bring them up to date: DAVIT_REGENERATE=1 ctest --preset … -R Generate
#include "app/generate/generate.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace davit::app {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Generate, CommittedFilesAreUpToDate) {
  const std::filesystem::path root = DAVIT_SOURCE_DIR;
  if (std::getenv("DAVIT_REGENERATE") != nullptr) {
    ASSERT_EQ(generate("all", root), 0);
  }
  for (const Generated& file : generated_files()) {
    EXPECT_EQ(content(root / file.path), file.text)
        << file.path << " is stale: DAVIT_REGENERATE=1 ctest -R Generate, then commit it";
  }
}

TEST(Generate, WritesOneKindBelowTheRoot) {
  const auto root = std::filesystem::path(testing::TempDir()) / "davit-generate-test";
  std::filesystem::remove_all(root);
  EXPECT_EQ(generate("crds", root), 0);
  EXPECT_TRUE(std::filesystem::exists(root / "deploy/crds/blocknodes.davit.hiero.org.yaml"));
  EXPECT_FALSE(std::filesystem::exists(root / "docs"));
  std::filesystem::remove_all(root);
}

TEST(Generate, AnUnknownKindIsRefused) { EXPECT_EQ(generate("crdz", "/nonexistent"), 2); }

TEST(Generate, AFolderThatCannotBeWrittenIsAnError) { EXPECT_EQ(generate("crds", "/proc/no"), 1); }

}  // namespace
}  // namespace davit::app
