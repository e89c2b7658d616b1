// Start, stop, health and metrics of the model, on virtual time.
#include <gmock/gmock.h>

#include "standin/blocknode/model/model_fixture.hpp"

namespace davit::standin {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

class Life : public ModelFixture {
 protected:
  int health_status() { return node_->health("/healthz/readyz", now_).status; }
};

TEST_F(Life, PortsOpenInOrderMetricsThenGrpcThenHealth) {
  boot();
  EXPECT_EQ(node_->metrics_text(now_), "# EOF\n");
  run_for(299ms);
  EXPECT_EQ(node_->phase(), Phase::kScanning);
  EXPECT_THAT(node_->metrics_text(now_), HasSubstr("blocknode_app_state_status 0\n"));
  run_for(1ms);
  EXPECT_EQ(node_->phase(), Phase::kRunning);
  EXPECT_THAT(node_->metrics_text(now_), HasSubstr("blocknode_app_state_status 1\n"));
  EXPECT_FALSE(node_->grpc_open());
  run_for(300ms);
  EXPECT_TRUE(node_->grpc_open());
  EXPECT_FALSE(node_->health_open());
  run_for(400ms);
  EXPECT_TRUE(node_->health_open());
  EXPECT_EQ(health_status(), 200);
}

TEST_F(Life, TheStateIsAbsentFromMetricsForMostOfTheScan) {
  boot();
  run_for(150ms);
  EXPECT_THAT(node_->metrics_text(now_), Not(HasSubstr("app_state_status")));
}

TEST_F(Life, ASlowScanDelaysAndAHangingOneEndsWhenTakenBack) {
  faults_.slow_scan_seconds = 60;
  boot();
  run_for(59s);
  EXPECT_EQ(node_->phase(), Phase::kScanning);
  run_for(2s);
  EXPECT_EQ(node_->phase(), Phase::kRunning);

  faults_ = {.hang_in_scan = true};
  boot();
  run_for(std::chrono::hours(24));
  EXPECT_EQ(node_->phase(), Phase::kScanning);
  node_->set_faults({}, now_);
  run_for(2s);
  EXPECT_TRUE(node_->health_open());
}

TEST_F(Life, ViolationsEndTheStartAndNameNoKey) {
  boot({{"SERVER_PORT", "80"}, {"HEALTH_BACKLOG_SIZE", "1"}});
  EXPECT_EQ(node_->exit_code(), 1);
  EXPECT_TRUE(logged("2 violations"));
  for (const LogLine& line : log_) {
    if (line.level == LogLevel::kSevere) {
      EXPECT_THAT(line.text, Not(HasSubstr("port")));
    }
  }
}

TEST_F(Life, CrashOnStartAndCrashLaterExitWithOne) {
  faults_.crash_on_start = true;
  boot();
  EXPECT_EQ(node_->exit_code(), 1);
  faults_ = {};
  boot_ready();
  node_->set_faults({.crash = true}, now_);
  EXPECT_EQ(node_->exit_code(), 1);
}

TEST_F(Life, WithoutTheMessagingPluginItExits) {
  node_ =
      std::make_unique<NodeModel>(Settings::read({}), std::vector<std::string>{"health"}, volume_);
  node_->start(now_);
  EXPECT_EQ(node_->exit_code(), 1);
}

TEST_F(Life, AnUnusableLiveRootLeavesAProcessWithMetricsOnly) {
  ASSERT_TRUE(volume_.make_directories("/bn/data"));
  ASSERT_TRUE(volume_.write("/bn/data/live", "not a directory"));
  boot();
  run_for(std::chrono::hours(1));
  EXPECT_EQ(node_->phase(), Phase::kWedged);
  EXPECT_FALSE(node_->exit_code());
  EXPECT_FALSE(node_->grpc_open());
  EXPECT_FALSE(node_->health_open());
  EXPECT_THAT(node_->metrics_text(now_), HasSubstr("# EOF"));
}

TEST_F(Life, TerminationLogsTwoLinesWritesNothingAndExits143) {
  boot_ready();
  fill(0, 3);
  log_.clear();
  node_->terminate();
  collect();
  EXPECT_EQ(node_->exit_code(), 143);
  ASSERT_EQ(log_.size(), 2U);
  EXPECT_EQ(log_[0].text, "Shutdown requested by JVM shutting down");
  EXPECT_EQ(log_[1].text, "Shutdown finished");
  EXPECT_FALSE(volume_.exists("/bn/application-state/block-ranges.json"));
}

TEST_F(Life, AFatalPluginErrorAnswers503ForAMomentWritesRangesAndExitsZero) {
  boot_ready();
  fill(0, 3);
  node_->set_faults({.fatal = true}, now_);
  EXPECT_EQ(health_status(), 503);
  run_for(499ms);
  EXPECT_FALSE(node_->exit_code());
  run_for(1ms);
  EXPECT_EQ(node_->exit_code(), 0);
  EXPECT_THAT(*volume_.read("/bn/application-state/block-ranges.json"),
              HasSubstr("\"rangeEnd\": \"3\""));
}

TEST_F(Life, HealthPathsAnswerAsMeasured) {
  boot_ready();
  const auto answer = [&](const char* path) { return node_->health(path, now_); };
  EXPECT_EQ(answer("/healthz/livez").body, "OK");
  EXPECT_EQ(answer("/statusz").status, 404);
  EXPECT_EQ(answer("/statusz").body, "Unknown statusz subpath");
  EXPECT_EQ(answer("/healthz").body, "Endpoint not found");
  EXPECT_EQ(answer("/-/healthy").body, "Endpoint not found");
  EXPECT_EQ(answer("/statusz/inbound").body, "{\n}");
  EXPECT_EQ(answer("/statusz/outbound").body, "{\n}");
}

TEST_F(Life, UnhealthyAfterSomeSeconds) {
  faults_.unhealthy_after_seconds = 10;
  boot_ready();
  EXPECT_EQ(health_status(), 200);
  run_for(9s);
  EXPECT_EQ(health_status(), 503);
  EXPECT_EQ(node_->health("/healthz/livez", now_).body, "Service is not running");
}

TEST_F(Life, ABrokenTssFileIsOverwrittenWithoutAWord) {
  ASSERT_TRUE(volume_.make_directories("/bn/application-state"));
  ASSERT_TRUE(volume_.write("/bn/application-state/tss-bootstrap-roster.json", "{ broken"));
  boot_ready();
  EXPECT_EQ(volume_.read("/bn/application-state/tss-bootstrap-roster.json"), "{}");
  for (const LogLine& line : log_) EXPECT_EQ(line.level, LogLevel::kInfo);
}

TEST_F(Life, ABrokenRsaFileStopsTheStart) {
  ASSERT_TRUE(volume_.make_directories("/bn/application-state"));
  ASSERT_TRUE(volume_.write("/bn/application-state/rsa-bootstrap-roster.json", "{ broken"));
  boot();
  run_for(1s);
  EXPECT_EQ(node_->exit_code(), 1);
}

TEST_F(Life, AnIdleNodeAsksForNoTick) {
  boot_ready();
  fill(0, 3);
  run_for(1s);
  EXPECT_EQ(node_->next_wakeup(), kNever);
}

}  // namespace
}  // namespace davit::standin
