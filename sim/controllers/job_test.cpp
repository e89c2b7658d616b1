// Jobs: https://kubernetes.io/docs/concepts/workloads/controllers/job/
#include <gmock/gmock.h>

#include "sim/controllers/test_bench.hpp"

namespace davit::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Jobs : ControllersBench {
  void job(const std::string& spec, const std::string& policy = "Never") {
    make("jobs", R"({"metadata": {"name": "j"}, "spec": {)" + spec + R"("template": )" +
                     pod_template("j", "", R"("restartPolicy": ")" + policy + R"(", )") + "}}");
  }
};

TEST(Job, IsCompleteWhenItsPodsSucceeded) {
  Jobs b;
  b.runtime.exits["main"] = 0;
  b.job(R"("completions": 3, "parallelism": 2, )");
  b.settle(minutes(1));
  EXPECT_EQ(b.number("jobs", "j", "status.succeeded"), 3);
  EXPECT_EQ(b.condition("jobs", "j", "Complete"), "True/CompletionsReached");
  EXPECT_FALSE(b.text("jobs", "j", "status.completionTime").empty());
  EXPECT_EQ(b.names("pods").size(), 3U) << "they stay for their logs";
}

TEST(Job, RunsAtMostAsManyAsItsParallelism) {
  Jobs b;
  b.job(R"("completions": 5, "parallelism": 2, )");
  b.settle(seconds(20));
  EXPECT_EQ(b.names("pods").size(), 2U);
  EXPECT_EQ(b.number("jobs", "j", "status.active"), 2);
}

TEST(Job, GivesUpAfterItsBackoffLimit) {
  Jobs b;
  b.runtime.exits["main"] = 1;
  b.job(R"("backoffLimit": 2, )");
  b.settle(minutes(10));
  EXPECT_EQ(b.number("jobs", "j", "status.failed"), 3);
  EXPECT_EQ(b.condition("jobs", "j", "Failed"), "True/BackoffLimitExceeded");
}

TEST(Job, WaitsLongerAfterEachFailure) {
  Jobs b;
  b.runtime.exits["main"] = 1;
  b.job(R"("backoffLimit": 6, )");
  b.settle(seconds(9));
  EXPECT_EQ(b.names("pods").size(), 1U) << "ten seconds after the first";
  b.settle(seconds(12));
  EXPECT_EQ(b.names("pods").size(), 2U);
  b.settle(seconds(12));
  EXPECT_EQ(b.names("pods").size(), 2U) << "twenty after the second";
  b.settle(seconds(12));
  EXPECT_EQ(b.names("pods").size(), 3U);
}

TEST(Job, EndsAtItsDeadline) {
  Jobs b;
  b.job(R"("activeDeadlineSeconds": 30, )");
  b.settle(seconds(20));
  EXPECT_EQ(b.condition("jobs", "j", "Failed"), "none");
  b.settle(minutes(1));
  EXPECT_EQ(b.condition("jobs", "j", "Failed"), "True/DeadlineExceeded");
  EXPECT_TRUE(b.names("pods").empty());
}

TEST(Job, SuspendedItHasNoPods) {
  Jobs b;
  b.job(R"("suspend": true, )");
  b.settle(seconds(10));
  EXPECT_TRUE(b.names("pods").empty());
  EXPECT_EQ(b.condition("jobs", "j", "Suspended"), "True/JobSuspended");
  b.patch("jobs", "j", R"({"spec": {"suspend": false}})");
  b.settle(seconds(10));
  EXPECT_EQ(b.names("pods").size(), 1U);
  EXPECT_EQ(b.condition("jobs", "j", "Suspended"), "False/JobResumed");
}

TEST(Job, GoesSomeTimeAfterItsEnd) {
  Jobs b;
  b.runtime.exits["main"] = 0;
  b.job(R"("ttlSecondsAfterFinished": 60, )");
  b.settle(seconds(30));
  EXPECT_TRUE(b.exists("jobs", "j"));
  b.settle(minutes(2));
  EXPECT_FALSE(b.exists("jobs", "j"));
  EXPECT_TRUE(b.names("pods").empty());
}

TEST(Job, OnFailureRestartsInThePod) {
  Jobs b;
  b.runtime.exits["main"] = 1;
  b.job(R"("backoffLimit": 100, )", "OnFailure");
  b.settle(minutes(1));
  ASSERT_EQ(b.names("pods").size(), 1U);
  EXPECT_GE(b.restarts(b.names("pods").front()), 2);
}

}  // namespace
}  // namespace davit::sim
