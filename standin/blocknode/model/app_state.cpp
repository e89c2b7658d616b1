#include "standin/blocknode/model/app_state.hpp"

#include <google/protobuf/util/json_util.h>

#include "blocknode/internal_state.pb.h"
#include "blocknode/network_data.pb.h"

namespace davit::standin {
namespace {

namespace json = google::protobuf::util;
using org::hiero::block::api::NetworkData;
using org::hiero::block::internal::BlockRangesState;

constexpr int kBlocksPerWrite = 1000;

bool from_json(const std::string& text, google::protobuf::Message& message) {
  json::JsonParseOptions options;
  options.ignore_unknown_fields = true;
  return json::JsonStringToMessage(text, &message, options).ok();
}

std::string to_json(const google::protobuf::Message& message) {
  std::string out;
  json::JsonPrintOptions options;
  options.add_whitespace = true;
  (void)json::MessageToJsonString(message, &out, options);
  return out;
}

template <typename Ranges>
void put_ranges(const RangeSet& from, Ranges* to) {
  for (const auto& [first, last] : from.ranges()) {
    auto* range = to->Add();
    range->set_range_start(first);
    range->set_range_end(last);
  }
}

}  // namespace

bool AppState::load() {
  const std::string tss = file("APP_STATE_TSS_BOOTSTRAP_FILE_PATH");
  if (const auto text = context_.volume.read(tss); text && !from_json(*text, trust_)) {
    trust_.Clear();
    (void)context_.volume.write(tss, "{}");
  }
  if (const auto text = context_.volume.read(file("APP_STATE_RSA_BOOTSTRAP_FILE_PATH"));
      text && !from_json(*text, rsa_)) {
    return false;
  }
  BlockRangesState state;
  if (const auto text = context_.volume.read(file("APP_STATE_BLOCK_RANGES_FILE_PATH"));
      text && from_json(*text, state)) {
    for (const auto& range : state.stored_blocks()) {
      if (range.range_start() <= range.range_end()) {
        stored_.add(range.range_start(), range.range_end());
      }
    }
  }
  return true;
}

void AppState::offer_trust(const TssData& trust, Time now) {
  if (!trust_.ledger_id().empty() || pending_trust_) return;
  pending_trust_ = trust;
  apply_at_ =
      now + std::chrono::milliseconds(context_.settings.number("APP_STATE_UPDATE_SCAN_INTERVAL"));
}

void AppState::tick(Time now) {
  if (!pending_trust_ || now < apply_at_) return;
  trust_ = *pending_trust_;
  pending_trust_.reset();
  write_trust();
}

void AppState::write_trust() {
  const std::string path = file("APP_STATE_TSS_BOOTSTRAP_FILE_PATH");
  (void)context_.volume.make_directories(path.substr(0, path.rfind('/')));
  if (!context_.volume.write(path, to_json(trust_))) {
    context_.outputs.warning("org.hiero.block.node.app.BlockNodeApp updateTssData",
                             "Failed to persist TSS data");
  }
}

void AppState::add_stored(BlockNumber block, const RangeSet& available) {
  stored_.add(block);
  if (++since_write_ < kBlocksPerWrite) return;
  since_write_ = 0;
  write_ranges(available);
}

void AppState::write_ranges(const RangeSet& available) {
  BlockRangesState state;
  put_ranges(stored_, state.mutable_stored_blocks());
  put_ranges(available, state.mutable_available_blocks());
  // Temporary file, old one away, hard link, temporary away: for a moment there is no file.
  const std::string path = file("APP_STATE_BLOCK_RANGES_FILE_PATH");
  const std::string temporary = path + ".tmp";
  (void)context_.volume.make_directories(path.substr(0, path.rfind('/')));
  if (!context_.volume.write(temporary, to_json(state))) return;
  (void)context_.volume.remove(path);
  (void)context_.volume.link(temporary, path);
  (void)context_.volume.remove(temporary);
}

std::string AppState::connections_json(bool inbound) const {
  NetworkData data;
  const auto merge = [&](const char* setting) {
    NetworkData more;
    const auto text = context_.volume.read(file(setting));
    if (text && from_json(*text, more)) data.MergeFrom(more);
  };
  if (inbound) {
    merge("APP_STATE_KNOWN_PUBLISHERS_FILE_PATH");
    merge("APP_STATE_INBOUND_PARTNERS_FILE_PATH");
  } else {
    merge("APP_STATE_OUTBOUND_PARTNERS_FILE_PATH");
  }
  return data.active_endpoints().empty() ? "{\n}" : to_json(data);
}

}  // namespace davit::standin
