#include "standin/blocknode/model/node_model.hpp"

#include <algorithm>

namespace davit::standin {
namespace {

constexpr const char* kApp = "org.hiero.block.node.app.BlockNodeApp";

}  // namespace

NodeModel::NodeModel(Settings settings, std::vector<std::string> plugins, Volume& volume,
                     StartTiming timing)
    : context_(std::move(settings), volume),
      plugins_(std::move(plugins)),
      timing_(timing),
      recent_(context_),
      historic_(context_),
      state_(context_),
      publish_(context_, state_,
               {.last = [this] { return last_available(); },
                .read = [this](BlockNumber block) { return read_block(block); },
                .persist = [this](BlockNumber block,
                                  const std::string& bytes) { return persist(block, bytes); }}) {}

NodeModel::~NodeModel() = default;

void NodeModel::start(Time now) {
  now_ = started_at_ = now;
  phase_ = Phase::kScanning;
  context_.outputs.info(std::string(kApp) + " main",
                        "Starting BlockNode " + context_.settings.version().text());
  for (std::string& line : context_.settings.log_lines()) {
    context_.outputs.info(std::string(kApp) + " <init>", std::move(line));
  }
  if (const int count = context_.settings.violations(); count > 0) {
    context_.outputs.severe(
        std::string(kApp) + " main",
        "Configuration failed based on " + std::to_string(count) + " violations!");
    return exit_with(1);
  }
  if (!has_plugin("facility-messaging")) {
    context_.outputs.severe(std::string(kApp) + " main", "No BlockMessagingFacility provided");
    return exit_with(1);
  }
  if (context_.faults.crash_on_start) {
    context_.outputs.severe(std::string(kApp) + " main", "Stand-in fault: crash on start");
    return exit_with(1);
  }
  context_.metrics.set(Metric::kMessagingNoOfItemListeners, std::int64_t{1});
  context_.metrics.set(Metric::kMessagingNoOfNotificationListeners, std::int64_t{4});
}

Time NodeModel::scan_end() const {
  if (context_.faults.hang_in_scan) return kNever;
  return started_at_ + timing_.scan + std::chrono::seconds(context_.faults.slow_scan_seconds);
}

void NodeModel::tick(Time now) {
  now_ = now;
  if (exit_code_) return;
  if (phase_ == Phase::kScanning && now >= scan_end()) finish_scan(now);
  if (phase_ == Phase::kShuttingDown && now >= shutdown_at_) {
    state_.write_ranges(available());
    context_.outputs.info(std::string(kApp) + " shutdown", "Shutdown finished");
    return exit_with(0);
  }
  if (phase_ != Phase::kRunning) return;
  if (now >= running_since_ + timing_.grpc_after_running) grpc_open_ = true;
  if (now >= running_since_ + timing_.health_after_running) health_open_ = true;
  state_.tick(now);
  more_work_ = historic_.work();
  recent_.apply_retention();
  update_range_metrics();
}

void NodeModel::finish_scan(Time now) {
  // A store that cannot start stops the start, and the stop itself fails: the process stays.
  for (const auto& result : {recent_.init(), historic_.init()}) {
    if (result) continue;
    context_.outputs.severe(
        std::string(kApp) + " start",
        "Failed to start plugin: " + std::make_error_code(result.error()).message());
    phase_ = Phase::kWedged;
    return;
  }
  if (!state_.load()) {
    context_.outputs.severe(std::string(kApp) + " loadApplicationState",
                            "RSA roster file cannot be read");
    return exit_with(1);
  }
  phase_ = Phase::kRunning;
  running_since_ = now;
  context_.metrics.set(Metric::kAppStateStatus, std::int64_t{1});
  update_range_metrics();
  const auto number = [](std::optional<BlockNumber> block) {
    return block ? std::to_string(*block) : std::string("-1");
  };
  context_.outputs.info(std::string(kApp) + " start",
                        "Started BlockNode Server : State=RUNNING HistoricBlockRange=" +
                            number(first_available()) + "->" + number(last_available()));
}

Time NodeModel::next_wakeup() const {
  switch (phase_) {
    case Phase::kScanning:
      return scan_end();
    case Phase::kShuttingDown:
      return shutdown_at_;
    case Phase::kRunning:
      if (more_work_) return now_;
      if (!grpc_open_) return running_since_ + timing_.grpc_after_running;
      if (!health_open_) return running_since_ + timing_.health_after_running;
      return state_.next_wakeup();
    case Phase::kNotStarted:
    case Phase::kWedged:
    case Phase::kExited:
      return kNever;
  }
  return kNever;
}

void NodeModel::set_faults(const Faults& faults, Time now) {
  now_ = now;
  const Faults before = context_.faults;
  context_.faults = faults;
  if (faults.crash && phase_ != Phase::kNotStarted && !exit_code_) {
    context_.outputs.severe(std::string(kApp) + " main", "Stand-in fault: crash");
    exit_with(1);
  }
  if (faults.fatal && !before.fatal && phase_ == Phase::kRunning) begin_shutdown(now);
}

void NodeModel::begin_shutdown(Time now) {
  context_.outputs.severe(std::string(kApp) + " shutdown",
                          "Shutdown requested by plugin: stand-in fault");
  phase_ = Phase::kShuttingDown;
  context_.metrics.set(Metric::kAppStateStatus, std::int64_t{2});
  shutdown_at_ =
      now + std::chrono::milliseconds(context_.settings.number("SERVER_SHUTDOWN_DELAY_MILLIS"));
}

void NodeModel::terminate() {
  if (exit_code_) return;
  context_.outputs.info(std::string(kApp) + " shutdown", "Shutdown requested by JVM shutting down");
  context_.outputs.info(std::string(kApp) + " shutdown", "Shutdown finished");
  exit_with(143);
}

void NodeModel::exit_with(int code) {
  phase_ = Phase::kExited;
  exit_code_ = code;
  grpc_open_ = health_open_ = false;
}

bool NodeModel::has_plugin(std::string_view name) const {
  return std::ranges::find(plugins_, name) != plugins_.end();
}

Outputs NodeModel::take_outputs() { return std::exchange(context_.outputs, Outputs()); }

bool NodeModel::persist(BlockNumber block, const std::string& serialized) {
  const auto complain = [&](const char* plugin, std::errc why) {
    context_.outputs.warning(
        std::string("org.hiero.block.node.blocks.files.") + plugin + " handleVerification",
        "Failed to write block " + std::to_string(block) + ": " +
            std::make_error_code(why).message());
  };
  if (const auto written = recent_.write(block, serialized); !written) {
    complain("recent.BlockFileRecentPlugin", written.error());
    return false;
  }
  if (const auto staged = historic_.stage(block, serialized); !staged) {
    complain("historic.BlockFileHistoricPlugin", staged.error());
  }
  more_work_ = true;
  state_.add_stored(block, available());
  context_.metrics.add(Metric::kMessagingBlockPersistedNotifications);
  context_.outputs.blocks_available = true;
  update_range_metrics();
  return true;
}

RangeSet NodeModel::available() const {
  RangeSet all = historic_.blocks();
  for (const auto& [first, last] : recent_.blocks().ranges()) all.add(first, last);
  return all;
}

std::optional<BlockNumber> NodeModel::first_available() const {
  const auto recent = recent_.blocks().first();
  const auto historic = historic_.blocks().first();
  return recent && historic ? std::min(recent, historic) : recent ? recent : historic;
}

std::optional<BlockNumber> NodeModel::last_available() const {
  return std::max(recent_.blocks().last(), historic_.blocks().last());
}

void NodeModel::update_range_metrics() {
  context_.metrics.set(Metric::kAppHistoricalOldestBlock, first_available().value_or(kNone));
  context_.metrics.set(Metric::kAppHistoricalNewestBlock, last_available().value_or(kNone));
}

}  // namespace davit::standin
