// The application-state files (facts/blocknode.md section 7.3): trust material and stored ranges.
//
// Caller: NodeModel, one thread at a time. Files are JSON of the protobuf messages.
#pragma once

#include <optional>
#include <string>

#include "blocknode/messages.pb.h"
#include "standin/blocknode/model/chain.hpp"
#include "standin/blocknode/model/context.hpp"
#include "standin/blocknode/model/range_set.hpp"

namespace davit::standin {

class AppState {
 public:
  explicit AppState(ModelContext& context) : context_(context) {}

  // Reads what is there. A broken TSS file is overwritten with "{}" without a word, a broken RSA
  // file fails the start; both as measured or read of the real server.
  bool load();

  // Trust material found in a block; takes effect at the next application-state scan.
  void offer_trust(const TssData& trust, Time now);
  void tick(Time now);
  Time next_wakeup() const { return pending_trust_ ? apply_at_ : kNever; }

  const TssData& trust() const { return trust_; }
  const RangeSet& stored() const { return stored_; }
  const org::hiero::block::api::RangedAddressBookHistory& rsa_history() const { return rsa_; }

  // Every 1,000 blocks the ranges are written.
  void add_stored(BlockNumber block, const RangeSet& available);
  void write_ranges(const RangeSet& available);

  // Body of /statusz/inbound or /statusz/outbound.
  std::string connections_json(bool inbound) const;

 private:
  void write_trust();
  std::string file(const char* setting) const { return context_.settings.text(setting); }

  ModelContext& context_;
  TssData trust_;
  std::optional<TssData> pending_trust_;
  Time apply_at_ = kNever;
  org::hiero::block::api::RangedAddressBookHistory rsa_;
  RangeSet stored_;
  int since_write_ = 0;
};

}  // namespace davit::standin
