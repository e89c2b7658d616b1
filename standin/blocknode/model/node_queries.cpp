// The reading side of NodeModel: status, blocks, health, metrics.
#include <algorithm>

#include "standin/blocknode/model/node_model.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;

struct PluginName {
  const char* artifact;
  const char* id;  // canonical class name, as serverStatusDetail shows it
};

// Names of the plugin classes in the server's source tree.
constexpr PluginName kPlugins[] = {
    {"backfill", "org.hiero.block.node.backfill.BackfillPlugin"},
    {"block-access-service", "org.hiero.block.node.access.service.BlockAccessServicePlugin"},
    {"block-verification", "org.hiero.block.node.block.verification.VerificationServicePlugin"},
    {"blocks-file-historic", "org.hiero.block.node.blocks.files.historic.BlockFileHistoricPlugin"},
    {"blocks-file-recent", "org.hiero.block.node.blocks.files.recent.BlockFileRecentPlugin"},
    {"facility-messaging", "org.hiero.block.node.messaging.BlockMessagingFacilityImpl"},
    {"health", "org.hiero.block.node.health.HealthServicePlugin"},
    {"roster-bootstrap-rsa", "org.hiero.block.node.roster.bootstrap.rsa.RsaRosterBootstrapPlugin"},
    {"roster-bootstrap-tss", "org.hiero.block.node.roster.bootstrap.tss.RosterBootstrapTssPlugin"},
    {"server-status", "org.hiero.block.node.server.status.ServerStatusServicePlugin"},
    {"stream-publisher", "org.hiero.block.node.stream.publisher.StreamPublisherPlugin"},
    {"stream-subscriber", "org.hiero.block.node.stream.subscriber.SubscriberServicePlugin"},
};

void put_version(const Version& from, proto::SemanticVersion* to) {
  to->set_major(from.major);
  to->set_minor(from.minor);
  to->set_patch(from.patch);
  to->set_pre(from.pre);
}

template <typename Ranges>
void put_ranges(const std::vector<std::pair<BlockNumber, BlockNumber>>& from, Ranges* to) {
  for (const auto& [first, last] : from) {
    auto* range = to->Add();
    range->set_range_start(first);
    range->set_range_end(last);
  }
}

}  // namespace

std::vector<std::string> default_plugins() {
  std::vector<std::string> out;
  for (const PluginName& plugin : kPlugins) out.emplace_back(plugin.artifact);
  return out;
}

std::string plugin_id(std::string_view artifact) {
  const auto* known = std::ranges::find_if(
      kPlugins, [&](const PluginName& plugin) { return artifact == plugin.artifact; });
  return known == std::end(kPlugins) ? std::string(artifact) : known->id;
}

api::ServerStatusResponse NodeModel::server_status() {
  context_.metrics.add(Metric::kServerStatusRequests);
  api::ServerStatusResponse out;
  out.set_first_available_block(first_available().value_or(kNone));
  out.set_last_available_block(last_available().value_or(kNone));
  out.set_only_latest_state(true);
  out.set_next_expected_block(has_plugin("stream-publisher") ? publish_.next_expected() : kNone);
  return out;
}

api::ServerStatusDetailResponse NodeModel::server_status_detail(Time now) {
  context_.metrics.add(Metric::kServerStatusDetailsRequests);
  const auto interval =
      std::chrono::milliseconds(context_.settings.number("APP_STATE_UPDATE_SCAN_INTERVAL"));
  if (!snapshot_at_ || now - *snapshot_at_ >= interval) {
    snapshot_at_ = now;
    snapshot_ = available().ranges();
  }
  // The end of the last range follows the newest block at once.
  if (const auto last = last_available(); last && !snapshot_.empty()) {
    snapshot_.back().second = std::max(snapshot_.back().second, *last);
  }
  api::ServerStatusDetailResponse out;
  auto* versions = out.mutable_version_information();
  versions->mutable_stream_proto_version()->set_minor(72);
  put_version(context_.settings.version(), versions->mutable_block_node_version());
  for (const std::string& name : plugins_) {
    auto* plugin = versions->add_installed_plugin_versions();
    plugin->set_plugin_id(plugin_id(name));
    put_version(context_.settings.version(), plugin->mutable_plugin_software_version());
  }
  put_ranges(snapshot_, out.mutable_available_ranges());
  put_ranges(state_.stored().ranges(), out.mutable_stored_ranges());
  if (!state_.trust().ledger_id().empty()) *out.mutable_tss_data() = state_.trust();
  if (const auto& history = state_.rsa_history(); !history.address_books().empty()) {
    *out.mutable_ranged_address_book_history() = history;
    *out.mutable_node_address_book() = history.address_books().rbegin()->address_book();
  }
  return out;
}

std::optional<Block> NodeModel::read_block(BlockNumber number) {
  auto bytes = recent_.read(number);
  if (!bytes) bytes = historic_.read(number);
  Block block;
  if (!bytes || !block.ParseFromString(*bytes)) return std::nullopt;
  return block;
}

api::BlockResponse NodeModel::get_block(const api::BlockRequest& request) {
  context_.metrics.add(Metric::kGetBlockRequests);
  api::BlockResponse out;
  BlockNumber number = request.block_number();
  const auto last = last_available();
  switch (request.block_specifier_case()) {
    case api::BlockRequest::kBlockNumber:
      break;
    case api::BlockRequest::kRetrieveLatest:
      number = last.value_or(kNone);
      if (request.retrieve_latest()) break;
      [[fallthrough]];
    case api::BlockRequest::BLOCK_SPECIFIER_NOT_SET:
      out.set_status(api::BlockResponse::INVALID_REQUEST);
      return out;
  }
  if (!last || !(recent_.blocks().contains(number) || historic_.blocks().contains(number))) {
    context_.metrics.add(Metric::kGetBlockRequestsNotAvailable);
    out.set_status(api::BlockResponse::NOT_AVAILABLE);
  } else if (auto block = read_block(number)) {
    context_.metrics.add(Metric::kGetBlockRequestsSuccess);
    out.set_status(api::BlockResponse::SUCCESS);
    *out.mutable_block() = std::move(*block);
  } else {
    // Advertised, yet not readable: what an operator takes for corruption.
    context_.metrics.add(Metric::kGetBlockRequestsNotFound);
    out.set_status(api::BlockResponse::NOT_FOUND);
  }
  return out;
}

std::optional<api::SubscribeStreamResponse::Code> NodeModel::refuse_subscription(
    BlockNumber start, BlockNumber end) const {
  using Response = api::SubscribeStreamResponse;
  if (start == kNone) return std::nullopt;  // from the next block on
  if (end != kNone && end < start) return Response::INVALID_END_BLOCK_NUMBER;
  const auto first = first_available();
  const auto last = last_available();
  if (first && start < *first) return Response::NOT_AVAILABLE;
  const auto ahead =
      static_cast<BlockNumber>(context_.settings.number("SUBSCRIBER_MAXIMUM_FUTURE_REQUEST"));
  if (start > last.value_or(0) + ahead) return Response::INVALID_START_BLOCK_NUMBER;
  return std::nullopt;
}

bool NodeModel::healthy(Time now) const {
  if (phase_ != Phase::kRunning || context_.faults.unhealthy) return false;
  const auto after = std::chrono::seconds(context_.faults.unhealthy_after_seconds);
  return after.count() == 0 || now < running_since_ + after;
}

HttpReply NodeModel::health(std::string_view path, Time now) {
  path = path.substr(0, path.find('?'));
  if (path == "/healthz/livez" || path == "/healthz/readyz") {
    if (healthy(now)) {
      context_.metrics.add(Metric::kHealthRequestsSuccess);
      return {200, "OK"};
    }
    context_.metrics.add(Metric::kHealthRequestsFailed);
    return {503, "Service is not running"};
  }
  if (path == "/statusz/inbound") return {200, state_.connections_json(true)};
  if (path == "/statusz/outbound") return {200, state_.connections_json(false)};
  if (path == "/statusz" || path.starts_with("/statusz/")) return {404, "Unknown statusz subpath"};
  return {404, "Endpoint not found"};
}

std::string NodeModel::metrics_text(Time now) const {
  const Version& version = context_.settings.version();
  constexpr std::size_t kAll = std::size(kMetricRows);
  if (phase_ != Phase::kScanning) return context_.metrics.text(version, kAll, true);
  // While plugins start, their metrics appear one after another; the state comes late.
  const Time end = scan_end();
  const Time length = end == kNever ? std::chrono::minutes(1) : end - started_at_;
  const double part = std::clamp(static_cast<double>((now - started_at_).count()) /
                                     static_cast<double>(std::max(length, Time(1)).count()),
                                 0.0, 0.99);
  return context_.metrics.text(version, static_cast<std::size_t>(part * kAll), part > 0.75);
}

}  // namespace davit::standin
