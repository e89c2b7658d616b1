// One Block Node as a pure model: explicit inputs, explicit outputs, no clock, no threads, no
// sockets.
//
// The server drives it on real time and real sockets, the cluster simulator on virtual time:
//
//   NodeModel node(Settings::read(environment), default_plugins(), volume);
//   node.start(now);
//   while (!node.exit_code()) {
//     node.tick(now);                    // again at node.next_wakeup() at the latest
//     for (auto& reply : node.take_outputs().replies) …
//   }
//
// Every input may produce outputs: take them after each. Time never goes backwards. Not thread
// safe. Ports open in the order a running server was seen to open them (facts/blocknode.md section
// 14): metrics at once, state RUNNING after the scan, gRPC 0.3 s later, health 0.7 s later.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "standin/blocknode/model/app_state.hpp"
#include "standin/blocknode/model/context.hpp"
#include "standin/blocknode/model/historic_store.hpp"
#include "standin/blocknode/model/publish_engine.hpp"
#include "standin/blocknode/model/recent_store.hpp"

namespace davit::standin {

enum class Phase {
  kNotStarted,
  kScanning,  // metrics only
  kRunning,
  kShuttingDown,  // orderly stop after a plugin's fatal error: health says 503 for a moment
  kWedged,        // a store could not start: alive, metrics only, never anything more
  kExited,
};

struct StartTiming {
  Time scan = std::chrono::milliseconds(300);
  Time grpc_after_running = std::chrono::milliseconds(300);
  Time health_after_running = std::chrono::milliseconds(700);
};

struct HttpReply {
  int status = 200;
  std::string body;
};

// Artifact names of the plugins an ordinary node (preset lfh) has.
std::vector<std::string> default_plugins();
// The id serverStatusDetail shows for an artifact: its class; the artifact itself when unknown.
std::string plugin_id(std::string_view artifact);

class NodeModel {
 public:
  NodeModel(Settings settings, std::vector<std::string> plugins, Volume& volume,
            StartTiming timing = {});
  ~NodeModel();
  NodeModel(const NodeModel&) = delete;
  NodeModel& operator=(const NodeModel&) = delete;

  // ---- life ----
  void start(Time now);
  void tick(Time now);
  Time next_wakeup() const;
  void set_faults(const Faults& faults, Time now);
  // SIGTERM to the process itself: log lines, nothing else; exit code 143.
  void terminate();

  Phase phase() const { return phase_; }
  std::optional<int> exit_code() const { return exit_code_; }
  bool grpc_open() const { return grpc_open_; }
  bool health_open() const { return health_open_; }
  bool has_plugin(std::string_view name) const;
  Outputs take_outputs();

  // ---- gRPC; call only while grpc_open() ----
  SessionId open_publisher() { return publish_.open(); }
  void publish(SessionId id, org::hiero::block::api::PublishStreamRequest request, Time now) {
    publish_.handle(id, std::move(request), now);
  }
  void close_publisher(SessionId id) { publish_.close(id); }
  org::hiero::block::api::ServerStatusResponse server_status();
  org::hiero::block::api::ServerStatusDetailResponse server_status_detail(Time now);
  org::hiero::block::api::BlockResponse get_block(
      const org::hiero::block::api::BlockRequest& request);
  // nullopt: the stream may start; else the code it ends with.
  std::optional<org::hiero::block::api::SubscribeStreamResponse::Code> refuse_subscription(
      BlockNumber start, BlockNumber end) const;
  std::optional<Block> read_block(BlockNumber block);
  std::optional<BlockNumber> first_available() const;
  std::optional<BlockNumber> last_available() const;
  void subscriber_opened() { context_.metrics.add(Metric::kSubscriberOpenConnections); }
  void subscriber_closed() { context_.metrics.add(Metric::kSubscriberOpenConnections, -1); }

  // ---- HTTP ----
  HttpReply health(std::string_view path, Time now);
  std::string metrics_text(Time now) const;
  const Settings& settings() const { return context_.settings; }
  const Faults& faults() const { return context_.faults; }

 private:
  void finish_scan(Time now);
  bool persist(BlockNumber block, const std::string& serialized);
  void begin_shutdown(Time now);
  void exit_with(int code);
  bool healthy(Time now) const;
  RangeSet available() const;
  void update_range_metrics();
  Time scan_end() const;

  ModelContext context_;
  std::vector<std::string> plugins_;
  StartTiming timing_;
  RecentStore recent_;
  HistoricStore historic_;
  AppState state_;
  PublishEngine publish_;

  Phase phase_ = Phase::kNotStarted;
  std::optional<int> exit_code_;
  bool grpc_open_ = false;
  bool health_open_ = false;
  bool more_work_ = false;
  Time now_{};
  Time started_at_{};
  Time running_since_ = kNever;
  Time shutdown_at_ = kNever;
  std::optional<Time> snapshot_at_;
  std::vector<std::pair<BlockNumber, BlockNumber>> snapshot_;
};

}  // namespace davit::standin
