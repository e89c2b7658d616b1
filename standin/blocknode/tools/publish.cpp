#include "standin/blocknode/tools/publish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>

#include "standin/blocknode/tools/block_source.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using Clock = std::chrono::steady_clock;
using Request = api::PublishStreamRequest;
using Response = api::PublishStreamResponse;

constexpr auto kAckTimeout = std::chrono::seconds(10);
constexpr auto kFirstBackoff = std::chrono::milliseconds(100);
constexpr auto kLongestBackoff = std::chrono::milliseconds(5000);
constexpr std::size_t kMessageBytes = 1024 * 1024;

volatile std::sig_atomic_t stop_requested = 0;

struct Totals {
  std::uint64_t sent = 0;
  std::uint64_t acknowledged = 0;
  std::uint64_t skipped = 0;
  std::uint64_t resent = 0;
  std::uint64_t behind = 0;
  std::uint64_t ended = 0;
  std::uint64_t streams = 0;
  std::optional<BlockNumber> last;  // newest acknowledged block
  std::string last_end;             // last end-of-stream code or connection error
};

class Publisher {
 public:
  explicit Publisher(const PublishOptions& options)
      : options_(options),
        channel_(open_channel(options.to)),
        access_(options.access.empty() ? channel_ : open_channel(options.access)),
        status_(options.status.empty() ? channel_ : open_channel(options.status)),
        source_({options.seed, options.size}, options.blocks_from == "genesis" ? nullptr : access_),
        next_line_(Clock::now() + interval()) {}

  int run() {
    auto backoff = kFirstBackoff;
    while (!done()) {
      const auto before = totals_.acknowledged;
      if (find_position()) stream();
      if (done()) break;
      backoff =
          totals_.acknowledged > before ? kFirstBackoff : std::min(backoff * 2, kLongestBackoff);
      const auto until = Clock::now() + backoff;
      while (Clock::now() < until && stop_requested == 0) {
        progress();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
    }
    print("done:");
    return options_.count && totals_.acknowledged < *options_.count ? 1 : 0;
  }

 private:
  Clock::duration interval() const {
    return std::chrono::duration_cast<Clock::duration>(
        std::chrono::duration<double>(options_.interval));
  }

  bool done() const {
    return stop_requested != 0 || (options_.count && totals_.acknowledged >= *options_.count);
  }

  // Where to begin: what the options say the first time, then where the node is.
  bool find_position() {
    if (totals_.streams == 0 && options_.blocks_from != "auto" &&
        options_.blocks_from != "genesis") {
      const std::string& text = options_.blocks_from;
      std::from_chars(text.data(), text.data() + text.size(), position_);
      return true;
    }
    const auto status = server_status(status_);
    if (!status) {
      totals_.last_end = "no answer";
      // A node whose status is elsewhere still tells where it is: behind, skip, duplicate.
      position_ = totals_.last ? *totals_.last + 1 : 0;
      return channel_->WaitForConnected(wall_time_in(kCallTimeout));
    }
    const BlockNumber last = status->last_available_block();
    if (!asked_for_) position_ = last == kNone ? 0 : last + 1;
    position_ = asked_for_.value_or(position_);
    asked_for_.reset();
    return true;
  }

  static std::chrono::system_clock::time_point wall_time_in(std::chrono::seconds more) {
    return std::chrono::system_clock::now() + more;
  }

  void stream() {
    grpc::ClientContext context;
    const auto stub = api::BlockStreamPublishService::NewStub(channel_);
    const auto call = stub->publishBlockStream(&context);
    ++totals_.streams;
    over_ = false;
    in_flight_ = 0;
    last_progress_ = Clock::now();
    std::thread reader([&] {
      Response response;
      while (call->Read(&response)) take(response);
      const std::lock_guard lock(mutex_);
      over_ = true;
      changed_.notify_all();
    });
    send_until_over(*call);
    call->WritesDone();
    // A stream the node does not end is cut.
    {
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, std::chrono::seconds(1), [&] { return over_; });
    }
    context.TryCancel();
    reader.join();
    const grpc::Status result = call->Finish();
    const std::lock_guard lock(mutex_);
    if (!result.ok() && result.error_code() != grpc::StatusCode::CANCELLED) {
      totals_.last_end = "connection: " + result.error_message();
    }
  }

  void send_until_over(grpc::ClientReaderWriter<Request, Response>& call) {
    auto slot = Clock::now();
    while (!done()) {
      BlockNumber number = 0;
      {
        std::unique_lock lock(mutex_);
        changed_.wait_until(lock, std::min(slot, Clock::now() + std::chrono::seconds(1)),
                            [&] { return over_; });
        if (!over_ && Clock::now() >= slot && in_flight_ >= window()) {
          changed_.wait_for(lock, std::chrono::milliseconds(100),
                            [&] { return over_ || in_flight_ < window(); });
        }
        progress_locked();
        if (over_) return;
        if (in_flight_ > 0 && Clock::now() - last_progress_ > kAckTimeout) {
          totals_.last_end = "no acknowledgement";
          lock.unlock();
          send_end(call, Request::EndStream::TIMEOUT);
          return;
        }
        if (Clock::now() < slot || in_flight_ >= window()) continue;
        if (in_flight_ == 0) last_progress_ = Clock::now();
        number = position_++;
        ++in_flight_;
        ++totals_.sent;
      }
      if (!send_block(call, number)) return;
      if (options_.rate > 0) {
        slot += std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(1.0 / options_.rate));
        // A publisher that was held up does not make up for all of it at once.
        slot = std::max(slot, Clock::now() - std::chrono::seconds(1));
      }
    }
    send_end(call, Request::EndStream::RESET);
  }

  // Near the end only as many as are still wanted.
  int window() const {
    if (!options_.count) return options_.in_flight;
    const auto left = *options_.count - std::min(*options_.count, totals_.acknowledged);
    return static_cast<int>(
        std::min<std::uint64_t>(left, static_cast<std::uint64_t>(options_.in_flight)));
  }

  bool send_block(grpc::ClientReaderWriter<Request, Response>& call, BlockNumber number) {
    Block block = source_.block(number);
    Request request;
    std::size_t bytes = 0;
    for (BlockItem& item : *block.mutable_items()) {
      const std::size_t size = item.ByteSizeLong();
      if (bytes > 0 && bytes + size > kMessageBytes) {
        if (!call.Write(request)) return false;
        request.Clear();
        bytes = 0;
      }
      bytes += size;
      *request.mutable_block_items()->add_block_items() = std::move(item);
    }
    if (!call.Write(request)) return false;
    request.Clear();
    request.mutable_end_of_block()->set_block_number(number);
    return call.Write(request);
  }

  void send_end(grpc::ClientReaderWriter<Request, Response>& call, Request::EndStream::Code code) {
    Request request;
    request.mutable_end_stream()->set_end_code(code);
    request.mutable_end_stream()->set_latest_block_number(totals_.last.value_or(0));
    call.Write(request);
  }

  // On the reader's thread.
  void take(const Response& response) {
    const std::lock_guard lock(mutex_);
    last_progress_ = Clock::now();
    switch (response.response_case()) {
      case Response::kAcknowledgement: {
        const BlockNumber number = response.acknowledgement().block_number();
        if (!totals_.last || number > *totals_.last) {
          totals_.last = number;
          ++totals_.acknowledged;
        }
        if (in_flight_ > 0) --in_flight_;
        break;
      }
      case Response::kSkipBlock:
        ++totals_.skipped;
        if (in_flight_ > 0) --in_flight_;
        break;
      case Response::kResendBlock:
        ++totals_.resent;
        go_to(response.resend_block().block_number());
        break;
      case Response::kNodeBehindPublisher:
        ++totals_.behind;
        go_to(response.node_behind_publisher().block_number() + 1);  // "none" wraps to 0
        break;
      case Response::kEndStream:
        ++totals_.ended;
        totals_.last_end = Response::EndOfStream::Code_Name(response.end_stream().status());
        go_to(response.end_stream().block_number() + 1);
        asked_for_ = position_;
        over_ = true;
        break;
      case Response::RESPONSE_NOT_SET:
        break;
    }
    changed_.notify_all();
  }

  void go_to(BlockNumber number) {
    position_ = number;
    in_flight_ = 0;
  }

  void progress() {
    const std::lock_guard lock(mutex_);
    progress_locked();
  }

  void progress_locked() {
    if (Clock::now() < next_line_) return;
    next_line_ += interval();
    print("progress:");
  }

  void print(const char* what) const {
    fmt::print(
        "{} sent={} acknowledged={} last={} skipped={} resent={} behind={} ended={} "
        "streams={}{}\n",
        what, totals_.sent, totals_.acknowledged,
        totals_.last ? std::to_string(*totals_.last) : "none", totals_.skipped, totals_.resent,
        totals_.behind, totals_.ended, totals_.streams,
        totals_.last_end.empty() ? "" : " last_end=\"" + totals_.last_end + "\"");
    (void)std::fflush(stdout);
  }

  PublishOptions options_;
  std::shared_ptr<grpc::Channel> channel_;
  std::shared_ptr<grpc::Channel> access_;
  std::shared_ptr<grpc::Channel> status_;
  BlockSource source_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Totals totals_;
  BlockNumber position_ = 0;
  std::optional<BlockNumber> asked_for_;  // where an end of stream told us to go on
  int in_flight_ = 0;
  bool over_ = false;
  Clock::time_point last_progress_;
  Clock::time_point next_line_;
};

}  // namespace

int publish(const PublishOptions& options) {
  std::signal(SIGTERM, [](int) { stop_requested = 1; });
  std::signal(SIGINT, [](int) { stop_requested = 1; });
  return Publisher(options).run();
}

}  // namespace davit::standin
