// The publish service: many publishers, one next block (plugin stream-publisher with verification).
//
// What a header is answered with, where `last` is the newest persisted and `next` the wanted block:
//   below the earliest managed block     end of stream DUPLICATE_BLOCK, naming the block before it
//   at most the skip window behind last  skip
//   further behind                       end of stream DUPLICATE_BLOCK
//   being received from someone else     skip, and resend if that one fails
//   up to next                           taken (a block after `last` whose storing failed is taken
//   again) above next                           behind, naming last (uint64 max: nothing stored
//   yet)
// A complete block is verified, stored, then acknowledged to every open publisher.
//
// Sources: facts/blocknode.md sections 6.2, 7.6 (skip window), 14. Caller: NodeModel, one thread.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "standin/blocknode/model/app_state.hpp"
#include "standin/blocknode/model/chain.hpp"
#include "standin/blocknode/model/context.hpp"

namespace davit::standin {

class PublishEngine {
 public:
  using Request = org::hiero::block::api::PublishStreamRequest;
  using Response = org::hiero::block::api::PublishStreamResponse;

  // What the engine needs of the stores.
  struct Hooks {
    std::function<std::optional<BlockNumber>()> last;              // newest available block
    std::function<std::optional<Block>(BlockNumber)> read;         // for the link after a restart
    std::function<bool(BlockNumber, const std::string&)> persist;  // false: storing failed
  };

  PublishEngine(ModelContext& context, AppState& state, Hooks hooks);

  SessionId open();
  void handle(SessionId id, Request request, Time now);
  void close(SessionId id);

  // As in serverStatus: kNone until a publisher has moved it.
  BlockNumber next_expected() const;

 private:
  struct Session {
    std::optional<BlockNumber> receiving;
    Block block;
    std::set<BlockNumber> skipped;
  };

  void take_items(SessionId id, Session& session, Request& request);
  bool take_header(SessionId id, Session& session, BlockNumber number);  // true: block is wanted
  void complete(SessionId id, Session& session, Time now);
  void reject(SessionId id, BlockNumber number, const std::string& why);
  std::optional<Hash> root_before(BlockNumber number);
  BlockNumber wanted() const;

  void acknowledge(BlockNumber number, const Hash& root);
  void end(SessionId id, Response::EndOfStream::Code code, BlockNumber number);
  void end_all(Response::EndOfStream::Code code, BlockNumber number);
  void ask_again(BlockNumber number);
  void reply(SessionId id, Response message, bool last = false);
  BlockNumber last_or_none() const { return hooks_.last().value_or(kNone); }

  ModelContext& context_;
  AppState& state_;
  Hooks hooks_;
  BlockNumber earliest_;
  std::map<SessionId, Session> sessions_;
  SessionId next_session_ = 1;
  std::optional<BlockNumber> next_;  // set by the first verified block after a start
  std::map<BlockNumber, Hash> roots_;
};

}  // namespace davit::standin
