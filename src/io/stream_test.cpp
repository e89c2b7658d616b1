#include "io/stream.hpp"

#include <gtest/gtest.h>

#include "io/block_on.hpp"
#include "io/connect.hpp"
#include "io/test_server.hpp"

namespace davit::io {
namespace {

using std::chrono::milliseconds;
using testing::kPatience;
using testing::RawServer;

Task<Result<bool>> fill(Stream& stream, Deadline deadline) {
  co_return co_await stream.fill(deadline);
}
Task<Status> write(Stream& stream, std::string text, Deadline deadline) {
  co_return co_await stream.write(std::make_shared<const std::string>(std::move(text)), deadline);
}

class StreamTest : public ::testing::Test {
 protected:
  Deadline soon() { return Deadline::after(loop_, kPatience); }
  Stream dial(RawServer& server) {
    return block_on(loop_, connect(loop_, "127.0.0.1", server.port(), nullptr, soon())).value();
  }
  void wait_until(std::function<bool()> condition) {
    block_on(loop_, [](AsioLoop& loop, std::function<bool()> c) -> Task<void> {
      while (!c()) co_await sleep_for(loop, milliseconds(1));
    }(loop_, std::move(condition)));
  }
  AsioLoop loop_;
};

TEST_F(StreamTest, WhatArrivesAfterADeadlineIsGivenToTheNextFill) {
  bool go = false;
  RawServer server(loop_, [&](Stream stream, int) -> Task<void> {
    while (!go) co_await sleep_for(loop_, milliseconds(1));
    co_await testing::say(loop_, stream, "late");
    co_await testing::drain(loop_, stream);
  });
  Stream stream = dial(server);
  const auto first = block_on(loop_, fill(stream, Deadline::after(loop_, milliseconds(5))));
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().code(), Code::kDeadlineExceeded);
  EXPECT_FALSE(stream.is_quiet());  // the read is still under way
  go = true;
  wait_until([&] { return !stream.buffered().empty(); });
  EXPECT_EQ(block_on(loop_, fill(stream, soon())).value(), true);
  EXPECT_EQ(stream.buffered(), "late");
}

TEST_F(StreamTest, TheBufferGrowsWithWhatIsNotConsumed) {
  const std::string text(300'000, 'x');
  RawServer server(
      loop_, [&](Stream stream, int) -> Task<void> { co_await testing::say(loop_, stream, text); });
  Stream stream = dial(server);
  while (block_on(loop_, fill(stream, soon())).value()) {
  }
  EXPECT_EQ(stream.buffered(), text);
  stream.consume(299'999);
  EXPECT_EQ(stream.buffered(), "x");
}

TEST_F(StreamTest, CloseWakesWhoWaits) {
  RawServer server(
      loop_, [&](Stream stream, int) -> Task<void> { co_await testing::drain(loop_, stream); });
  Stream stream = dial(server);
  loop_.call_after(milliseconds(5), [&] { stream.close(); });
  const auto got = block_on(loop_, fill(stream, soon()));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code(), Code::kCancelled);
  const Status sent = block_on(loop_, write(stream, "x", soon()));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code(), Code::kCancelled);
}

TEST_F(StreamTest, AWriteThatNobodyReadsIsDeadlineExceededAndTheStreamUnfit) {
  RawServer server(
      loop_, [&](Stream, int) -> Task<void> { co_await sleep_for(loop_, std::chrono::hours(1)); });
  Stream stream = dial(server);
  const Status sent = block_on(
      loop_, write(stream, std::string(64 << 20, 'x'), Deadline::after(loop_, milliseconds(20))));
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code(), Code::kDeadlineExceeded);
  EXPECT_TRUE(stream.sent_any());
  EXPECT_FALSE(block_on(loop_, write(stream, "x", soon())));
}

}  // namespace
}  // namespace davit::io
