#include "operands/blocknode/agent/agent.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "io/block_on.hpp"

namespace davit::blocknode {
namespace {

namespace fs = std::filesystem;

class AgentTest : public testing::Test {
 protected:
  AgentTest() {
    std::string pattern = (fs::temp_directory_path() / "davit-agent-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~AgentTest() override { fs::remove_all(folder_); }

  // What the agent answers after its first round of checks.
  io::HttpResponse ask(std::string target, std::vector<PortReport> ports = {}) {
    Agent agent(loop_, {.volumes = {{"live", folder_}},
                        .ports = std::move(ports),
                        .start_report = folder_ / "start.json",
                        .port_period = std::chrono::hours(1),
                        .volume_period = std::chrono::hours(1)});
    io::Scope scope(loop_);
    scope.spawn(agent.run());
    io::block_on(loop_, first_round(loop_, agent));
    return agent.answer({.target = std::move(target)});
  }

  static io::Task<void> first_round(io::AsioLoop& loop, const Agent& agent) {
    while (agent.answer({.target = "/readyz"}).body.find("first round") != std::string::npos) {
      co_await io::sleep_for(loop, std::chrono::milliseconds(1));
    }
  }

  io::AsioLoop loop_;
  fs::path folder_;
};

TEST_F(AgentTest, IsReadyWhenEveryVolumeTakesAWriteAndEveryPortSpeaks) {
  EXPECT_EQ(ask("/readyz").status, 200u);
}

TEST_F(AgentTest, AClosedPortMakesItUnreadyAndIsNamed) {
  const auto answer = ask("/readyz", {{.name = "grpc", .port = 1}});
  EXPECT_EQ(answer.status, 503u);
  EXPECT_NE(answer.body.find("grpc (1)"), std::string::npos) << answer.body;
}

TEST_F(AgentTest, AVolumeThatIsGoneMakesItUnreadyAndIsNamed) {
  fs::remove_all(folder_);
  const auto answer = ask("/readyz");
  EXPECT_EQ(answer.status, 503u);
  EXPECT_NE(answer.body.find("volume live takes no write"), std::string::npos) << answer.body;
}

TEST_F(AgentTest, TheReportTellsSpaceAndTheLastStart) {
  std::ofstream(folder_ / "start.json") << R"({"refused":true,"reason":"VolumeIdentityMismatch"})";
  const auto report = parse_agent_report(ask("/report").body);
  ASSERT_TRUE(report);
  ASSERT_EQ(report->volumes.size(), 1u);
  EXPECT_GT(report->volumes[0].total_bytes, 0u);
  EXPECT_TRUE(report->volumes[0].writable);
  ASSERT_TRUE(report->start);
  EXPECT_EQ(report->start->reason, "VolumeIdentityMismatch");
}

TEST_F(AgentTest, LeavesNoFileBehind) {
  (void)ask("/report");
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST(AgentReport, UsedPercentNeverShowsZeroForAVolumeInUse) {
  EXPECT_EQ((VolumeReport{.total_bytes = 1000, .available_bytes = 999}).used_percent(), 1);
  EXPECT_EQ((VolumeReport{.total_bytes = 1000, .available_bytes = 1000}).used_percent(), 0);
  EXPECT_EQ((VolumeReport{.total_bytes = 1000, .available_bytes = 0}).used_percent(), 100);
}

TEST(AgentReport, SurvivesAJourneyThroughJson) {
  const AgentReport report{.volumes = {{"live", 10, 5, false, "full"}},
                           .ports = {{"grpc", 40840, true}},
                           .start = StartReport{true, "R", "m", {"live/x"}}};
  const auto back = parse_agent_report(wire::canonical(to_json(report)));
  ASSERT_TRUE(back);
  EXPECT_EQ(wire::canonical(to_json(*back)), wire::canonical(to_json(report)));
}

}  // namespace
}  // namespace davit::blocknode
