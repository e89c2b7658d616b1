// The small parts: paths, ranges, zips, settings, faults, chain, compression.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "standin/blocknode/model/block_paths.hpp"
#include "standin/blocknode/model/chain.hpp"
#include "standin/blocknode/model/compression.hpp"
#include "standin/blocknode/model/faults.hpp"
#include "standin/blocknode/model/memory_volume.hpp"
#include "standin/blocknode/model/metrics.hpp"
#include "standin/blocknode/model/range_set.hpp"
#include "standin/blocknode/model/settings.hpp"
#include "standin/blocknode/model/settings_table.hpp"
#include "standin/blocknode/model/zip.hpp"

namespace davit::standin {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

TEST(BlockPaths, LiveFileOfBlock82IsWhereTheFactsSay) {
  EXPECT_EQ(block_path(82, {}), "000/000/000/000/000/0/0000000000000000082.blk.zstd");
  EXPECT_EQ(block_path(82, {3, false}), "000/000/000/000/000/0/0000000000000000082.blk");
}

TEST(BlockPaths, ZipNamesFollowThePower) {
  EXPECT_EQ(zip_path(50, 1), "000/000/000/000/000/00/50.zip");
  EXPECT_EQ(zip_path(10'000, 4), "000/000/000/000/00/10000.zip");
  EXPECT_EQ(first_block_of_zip("000/000/000/000/000/00/50.zip", 1), 50U);
  EXPECT_EQ(first_block_of_zip("000/000/000/000/00/10000.zip", 4), 10'000U);
  EXPECT_EQ(first_block_of_zip("staging/50.zip", 1), std::nullopt);
}

TEST(BlockPaths, NumbersAreReadBackFromNames) {
  EXPECT_EQ(block_of_file("0000000000000000082.blk.zstd"), 82U);
  EXPECT_EQ(block_of_file("0000000000000000082.blk"), 82U);
  EXPECT_EQ(block_of_file("0000000000000000082.blk.tmp"), std::nullopt);
  EXPECT_EQ(block_of_file("82.blk"), std::nullopt);
}

TEST(RangeSet, JoinsNeighboursAndSplitsOnRemoval) {
  RangeSet set;
  set.add(1, 3);
  set.add(5);
  set.add(4);
  EXPECT_THAT(set.ranges(), ElementsAre(Pair(1U, 5U)));
  set.remove(2);
  EXPECT_THAT(set.ranges(), ElementsAre(Pair(1U, 1U), Pair(3U, 5U)));
  EXPECT_TRUE(set.contains(3, 5));
  EXPECT_FALSE(set.contains(1, 3));
  EXPECT_EQ(set.count(), 4U);
  set.add(0, 10);
  EXPECT_THAT(set.ranges(), ElementsAre(Pair(0U, 10U)));
}

TEST(Zip, EntriesAreStoredAndFoundByIndex) {
  MemoryVolume volume;
  ASSERT_TRUE(volume.make_directories("/z"));
  ZipWriter writer(volume, "/z/a.zip");
  ASSERT_TRUE(writer.add("one", "first content"));
  ASSERT_TRUE(writer.add("two", ""));
  const auto size = writer.finish();
  ASSERT_TRUE(size);
  EXPECT_EQ(*volume.size("/z/a.zip"), *size);
  const auto index = read_zip_index(volume, "/z/a.zip");
  ASSERT_TRUE(index);
  const ZipEntry entry = index->at("one");
  EXPECT_EQ(*volume.read_at("/z/a.zip", entry.offset, entry.size), "first content");
  EXPECT_EQ(index->at("two").size, 0U);
}

TEST(Zip, ATruncatedFileIsNotAZip) {
  MemoryVolume volume;
  ASSERT_TRUE(volume.make_directories("/z"));
  ZipWriter writer(volume, "/z/a.zip");
  ASSERT_TRUE(writer.add("one", "content"));
  ASSERT_TRUE(writer.finish());
  const std::string whole = *volume.read("/z/a.zip");
  ASSERT_TRUE(volume.write("/z/a.zip", whole.substr(0, whole.size() - 1)));
  EXPECT_EQ(read_zip_index(volume, "/z/a.zip").error(), std::errc::illegal_byte_sequence);
}

TEST(Compression, TruncatedFramesFailAndEmptyOnesAreEmpty) {
  const std::string packed = compress_zstd("some block");
  EXPECT_EQ(decompress_zstd(packed), "some block");
  EXPECT_EQ(decompress_zstd(packed.substr(0, packed.size() - 2)), std::nullopt);
  EXPECT_EQ(decompress_zstd(""), "");
}

TEST(Settings, TheTableIsWhole) { EXPECT_EQ(setting_rows().size(), 137U); }

TEST(Settings, DefaultsAreWithinTheirOwnRanges) {
  EXPECT_EQ(Settings::read({{"VERSION", "0.42.0"}}).violations(), 0);
}

TEST(Settings, EveryViolationCounts) {
  const Settings settings = Settings::read({{"SERVER_PORT", "80"},
                                            {"MESSAGING_BLOCK_ITEM_QUEUE_SIZE", "500"},
                                            {"FILES_RECENT_COMPRESSION", "zstd"},
                                            {"SERVER_BACKLOG_SIZE", "many"}});
  EXPECT_EQ(settings.violations(), 4);
}

TEST(Settings, DedicatedPortsAreNotCheckedAtStart) {
  EXPECT_EQ(Settings::read({{"PRODUCER_PORT", "80"}}).violations(), 0);
  EXPECT_EQ(Settings::read({}).number_if_set("PRODUCER_PORT"), std::nullopt);
}

TEST(Settings, UnknownAndTooNewKeysAreIgnored) {
  const Environment environment = {{"NO_SUCH_KEY", "x"},
                                   {"CLOUD_STORAGE_EXPANDED_RETRY_INTERVAL_SECONDS", "0"}};
  EXPECT_EQ(Settings::read(environment).violations(), 0);
  Environment newer = environment;
  newer["VERSION"] = "0.41.0";
  EXPECT_EQ(Settings::read(newer).violations(), 1);
}

TEST(Settings, JavaPropertiesBeatTheEnvironment) {
  const Settings settings = Settings::read({{"SERVER_PORT", "40000"},
                                            {"JAVA_TOOL_OPTIONS",
                                             "-Xmx1g -Dserver.port=10_000 "
                                             "-Dmetrics.exporter.openmetrics.http.port=16008"}});
  EXPECT_EQ(settings.number("SERVER_PORT"), 10'000);
  EXPECT_EQ(settings.metrics_port(), 16008);
  EXPECT_THAT(settings.log_lines(), Contains("-Xmx = 1g"));
}

TEST(Settings, SecretsAreStarsInTheLog) {
  const Settings settings = Settings::read({{"CLOUD_STORAGE_ARCHIVE_SECRET_KEY", "hush"}});
  for (const std::string& line : settings.log_lines()) EXPECT_THAT(line, Not(HasSubstr("hush")));
  EXPECT_THAT(settings.log_lines(), Contains("cloud.storage.archive.secretKey = ********"));
}

TEST(Settings, TheWorkingDirectoryMovesDefaultPaths) {
  const Settings settings = Settings::read({{"BN_WORKDIR", "/tmp/x"}});
  EXPECT_EQ(settings.text("FILES_RECENT_LIVE_ROOT_PATH"), "/tmp/x/data/live");
}

TEST(Faults, TheControlFileOverridesTheEnvironment) {
  std::vector<std::string> complaints;
  const Faults faults = read_faults(
      {{"STANDIN_STALL_INGEST", "1"}, {"STANDIN_SLOW_SCAN_SECONDS", "30"}},
      "# a comment\nstall-ingest=off\nunhealthy\nfull-disk-bytes = 4096\nnonsense\n", complaints);
  EXPECT_FALSE(faults.stall_ingest);
  EXPECT_TRUE(faults.unhealthy);
  EXPECT_EQ(faults.slow_scan_seconds, 30);
  EXPECT_EQ(faults.full_disk_bytes, 4096U);
  EXPECT_THAT(complaints, ElementsAre("nonsense"));
}

TEST(Faults, NoneByDefault) {
  std::vector<std::string> complaints;
  EXPECT_EQ(read_faults({{"STANDIN_SCAN_MILLIS", "5"}}, "", complaints), Faults());
  EXPECT_THAT(complaints, IsEmpty());
}

TEST(Chain, BlocksAreAPureFunctionOfTheirRecipe) {
  const Hash previous = genesis_root();
  EXPECT_EQ(make_block({}, 3, previous).SerializeAsString(),
            make_block({}, 3, previous).SerializeAsString());
  EXPECT_NE(make_block({}, 3, previous).SerializeAsString(),
            make_block({.seed = 2}, 3, previous).SerializeAsString());
  EXPECT_GE(make_block({.block_bytes = 200'000}, 3, previous).ByteSizeLong(), 200'000U);
}

TEST(Chain, AChangedBlockAWrongLinkAndAForeignLedgerAreRefused) {
  const TssData trust = network_trust({});
  const Block good = make_block({}, 1, genesis_root());
  EXPECT_EQ(verify_block(good, 1, genesis_root(), trust), block_root(good));
  EXPECT_EQ(verify_block(good, 1, sha384("other"), trust).error(),
            "previous block hash does not match");
  EXPECT_EQ(verify_block(good, 1, genesis_root(), network_trust({.seed = 2})).error(),
            "proof does not verify");
  EXPECT_EQ(verify_block(good, 1, genesis_root(), TssData()).error(), "MISSING_VERIFICATION_DATA");
  Block bad = good;
  bad.mutable_items(2)->mutable_signed_transaction()->back() ^= 1;
  EXPECT_EQ(verify_block(bad, 1, genesis_root(), trust).error(), "proof does not verify");
  EXPECT_FALSE(verify_block(good, 2, genesis_root(), trust));
}

TEST(Chain, BlockZeroPublishesTheTrustMaterial) {
  const auto trust = published_trust(make_block({}, 0, genesis_root()));
  ASSERT_TRUE(trust);
  EXPECT_EQ(trust->ledger_id(), network_trust({}).ledger_id());
  EXPECT_FALSE(published_trust(make_block({}, 1, genesis_root())));
}

TEST(Metrics, TheTextHasTheOddNamesAndEndsWithEof) {
  Metrics metrics;
  metrics.set(Metric::kAppHistoricalNewestBlock, std::int64_t{19});
  const std::string text = metrics.text(Version::parse("0.42.0-SNAPSHOT"), 1000, true);
  EXPECT_THAT(text, HasSubstr("blocknode_app_historical_newest_block 19\n"));
  EXPECT_THAT(text, HasSubstr("blocknode_verification_proof_total_total{proof_type=\"tss\""));
  EXPECT_THAT(text, HasSubstr("blocknode_rsa_roster_mismatch_total_total 0\n"));
  EXPECT_THAT(text, HasSubstr("{VersionString=\"0.42.0-SNAPSHOT+\"} 0\n"));
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  EXPECT_THAT(metrics.text(Version::parse("0.40.1"), 1000, true),
              Not(HasSubstr("app_current_version")));
}

TEST(MemoryVolume, AFullOneLeavesAnEmptyFile) {
  MemoryVolume volume;
  ASSERT_TRUE(volume.make_directories("/d/live"));
  volume.limit("/d/live", 10);
  ASSERT_TRUE(volume.write("/d/live/a", "12345678"));
  EXPECT_EQ(volume.write("/d/live/b", "123").error(), std::errc::no_space_on_device);
  EXPECT_EQ(volume.size("/d/live/b"), 0U);
  volume.unlimit("/d/live");
  EXPECT_TRUE(volume.write("/d/live/b", "123"));
}

}  // namespace
}  // namespace davit::standin
