#include "operands/blocknode/settings.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace davit::blocknode {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

std::string wrong(std::string_view env, std::string_view value) {
  return value_problem(*find_setting(env), value).value_or("");
}

TEST(Settings, TheCatalogueIsComplete) {
  const auto& settings = setting_catalogue().settings;
  EXPECT_EQ(settings.size(), 137U);
  EXPECT_EQ(setting_catalogue().up_to.to_string(), "0.41.0");
  EXPECT_EQ(std::ranges::count_if(settings, &Setting::secret), 4);
  for (const Setting& setting : settings) {
    EXPECT_FALSE(setting.description.empty()) << setting.env;
    EXPECT_NE(setting.since, ServerVersion{}) << setting.env;
    if (!setting.default_value.empty()) {
      EXPECT_EQ(value_problem(setting, setting.default_value), std::nullopt) << setting.env;
    }
  }
}

TEST(Settings, AreFoundByVariableAndByProperty) {
  EXPECT_EQ(find_setting("SERVER_PORT"), find_setting("server.port"));
  EXPECT_EQ(find_setting("SERVER_PRT"), nullptr);
  EXPECT_EQ(find_setting("server.Port"), nullptr);
}

TEST(Settings, VariablesAreNamedAsTheServerNamesThem) {
  for (const Setting& setting : setting_catalogue().settings) {
    EXPECT_EQ(environment_name(setting.property), setting.env);
  }
  EXPECT_EQ(environment_name("backfill.newThing"), "BACKFILL_NEW_THING");
  EXPECT_EQ(environment_name("producer.NewThing"), "PRODUCER__NEW_THING");
  EXPECT_EQ(environment_name("JAVA_OPTS"), "JAVA_OPTS");
}

TEST(Settings, TheNearestNameIsTheOneThatWasMeant) {
  EXPECT_EQ(nearest_setting("SERVER_PRT"), "SERVER_PORT");
  EXPECT_EQ(nearest_setting("SEVRER_PORT"), "SERVER_PORT");
  EXPECT_EQ(nearest_setting("server.prt"), "server.port");
  EXPECT_EQ(nearest_setting("BACKFILL_ENABLE_TLS"), "BACKFILL_ENABLE_T_L_S");
  EXPECT_EQ(nearest_setting("PRODUCER_MAX_FUTURE_BLOCKS_BEFORE_STALLED"),
            "PRODUCER__MAX_FUTURE_BLOCKS_BEFORE_STALLED");
  // A wrong name of the server's own documentation.
  EXPECT_EQ(nearest_setting("KNOWN_PUBLISHERS_FILE_PATH"), "APP_STATE_KNOWN_PUBLISHERS_FILE_PATH");
  EXPECT_EQ(nearest_setting("FILES_RECENT_RETENTION_THRESHOLD"),
            "FILES_RECENT_BLOCK_RETENTION_THRESHOLD");
}

TEST(Settings, NothingIsNearToSomethingElse) {
  EXPECT_EQ(nearest_setting("SPRING_PROFILES_ACTIVE"), "");
  EXPECT_EQ(nearest_setting(""), "");
  EXPECT_EQ(nearest_setting(std::string(100'000, 'X')), "");
}

TEST(Settings, NumbersHaveARange) {
  EXPECT_EQ(wrong("SERVER_PORT", "40840"), "");
  EXPECT_EQ(wrong("SERVER_PORT", "40_840"), "");
  EXPECT_EQ(wrong("SERVER_PORT", "80"),
            "\"80\" is not allowed; it must be an integer from 1024 to 65535; the server's default "
            "is 40840");
  EXPECT_THAT(wrong("SERVER_PORT", "65536"), HasSubstr("from 1024 to 65535"));
  EXPECT_THAT(wrong("SERVER_PORT", "http"), HasSubstr("an integer"));
  EXPECT_THAT(wrong("SERVER_PORT", ""), HasSubstr("\"\" is not allowed"));
  EXPECT_THAT(wrong("SERVER_PORT", "4_"), HasSubstr("not allowed"));
  EXPECT_THAT(wrong("BACKFILL_DELAY_BETWEEN_BATCHES", "99"),
              HasSubstr("an integer of at least 100"));
}

TEST(Settings, AnIntOfTheServerHas32Bits) {
  EXPECT_THAT(wrong("SERVER_BACKLOG_SIZE", "2147483648"), HasSubstr("not allowed"));
  EXPECT_EQ(wrong("PRODUCER_BATCH_FORWARD_LIMIT", "9223372036854775807"), "");
  EXPECT_NE(wrong("PRODUCER_BATCH_FORWARD_LIMIT", "9223372036854775808"), "");
}

TEST(Settings, RingBuffersArePowersOfTwo) {
  EXPECT_EQ(wrong("MESSAGING_BLOCK_ITEM_QUEUE_SIZE", "1_024"), "");
  EXPECT_THAT(wrong("MESSAGING_BLOCK_ITEM_QUEUE_SIZE", "1000"), HasSubstr("a power of two"));
  EXPECT_NE(wrong("MESSAGING_BLOCK_ITEM_QUEUE_SIZE", "0"), "");
}

TEST(Settings, EnumsBooleansNumbersAndPathsAreChecked) {
  EXPECT_EQ(wrong("FILES_RECENT_COMPRESSION", "NONE"), "");
  EXPECT_THAT(wrong("FILES_RECENT_COMPRESSION", "none"), HasSubstr("one of ZSTD, NONE"));
  EXPECT_EQ(wrong("BACKFILL_GREEDY", "true"), "");
  EXPECT_THAT(wrong("BACKFILL_GREEDY", "yes"), HasSubstr("true or false"));
  EXPECT_EQ(wrong("BACKFILL_HEALTH_PENALTY_PER_FAILURE", "2.5"), "");
  EXPECT_THAT(wrong("BACKFILL_HEALTH_PENALTY_PER_FAILURE", "nan"), HasSubstr("a number"));
  EXPECT_THAT(wrong("VERIFICATION_DUMP_DIRECTORY_PATH", "dumps"), HasSubstr("an absolute path"));
}

TEST(Settings, AnUnknownNameIsToldWithTheNearest) {
  EXPECT_THAT(check_settings({{"SERVER_PRT", "1"}}, "0.40.1"),
              ElementsAre(AllOf(Field(&Problem::field, "spec.extraConfig[SERVER_PRT]"),
                                Field(&Problem::message, HasSubstr("Did you mean SERVER_PORT?")))));
}

TEST(Settings, ASettingNewerThanTheServerIsTold) {
  const std::map<std::string, std::string> config{{"CLOUD_STORAGE_EXPANDED_RETRY_ENABLED", "true"}};
  EXPECT_THAT(check_settings(config, "0.41.0-rc1"), IsEmpty());
  EXPECT_THAT(
      check_settings(config, "0.40.1"),
      ElementsAre(Field(&Problem::message,
                        HasSubstr("exists since version 0.41.0, but spec.version is 0.40.1"))));
}

TEST(Settings, ASecretIsRefusedAndItsValueNotRepeated) {
  const auto problems = check_settings({{"CLOUD_STORAGE_ARCHIVE_SECRET_KEY", "hunter2"}}, "0.40.1");
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0].message, HasSubstr("is a secret"));
  EXPECT_EQ(problems[0].message.find("hunter2"), std::string::npos);
}

TEST(Settings, OneSettingUnderTwoNamesIsRefused) {
  EXPECT_THAT(check_settings({{"BACKFILL_GREEDY", "true"}, {"backfill.greedy", "false"}}, "0.40.1"),
              ElementsAre(AllOf(Field(&Problem::field, "spec.extraConfig[backfill.greedy]"),
                                Field(&Problem::message, HasSubstr("BACKFILL_GREEDY")))));
}

TEST(ServerVersion, IsThreeNumbersAndMayLeadToARelease) {
  EXPECT_EQ(ServerVersion::parse("0.40.1"), (ServerVersion{0, 40, 1}));
  EXPECT_EQ(ServerVersion::parse("0.41.0-rc1"), (ServerVersion{0, 41, 0}));
  for (const char* text :
       {"", "0.40", "0.40.", "v0.40.1", "0.40.1.2", "0.40.1-", "0.40.x", "0.40.1+a"}) {
    EXPECT_EQ(ServerVersion::parse(text), std::nullopt) << text;
  }
  EXPECT_LT((ServerVersion{0, 9, 9}), (ServerVersion{0, 10, 0}));
}

}  // namespace
}  // namespace davit::blocknode
