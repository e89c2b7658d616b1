#include "standin/blocknode/model/publish_engine.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace davit::standin {
namespace {

constexpr const char* kSource = "org.hiero.block.node.stream.publisher.PublisherHandler handle";
constexpr const char* kVerifySource =
    "org.hiero.block.node.block.verification.VerificationServicePlugin handleBlockItemsReceived";
constexpr std::size_t kRememberedRoots = 100;

}  // namespace

PublishEngine::PublishEngine(ModelContext& context, AppState& state, Hooks hooks)
    : context_(context),
      state_(state),
      hooks_(std::move(hooks)),
      earliest_(
          static_cast<BlockNumber>(context.settings.number("BLOCK_NODE_EARLIEST_MANAGED_BLOCK"))) {}

SessionId PublishEngine::open() {
  const SessionId id = next_session_++;
  sessions_[id];
  context_.metrics.set(Metric::kPublisherOpenConnections, sessions_.size());
  context_.metrics.add(Metric::kMessagingPublisherStatusUpdateNotifications);
  return id;
}

void PublishEngine::close(SessionId id) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  const auto receiving = found->second.receiving;
  sessions_.erase(found);
  context_.metrics.set(Metric::kPublisherOpenConnections, sessions_.size());
  context_.metrics.add(Metric::kMessagingPublisherStatusUpdateNotifications);
  if (receiving) ask_again(*receiving);
}

BlockNumber PublishEngine::next_expected() const {
  return next_ && *next_ >= earliest_ ? *next_ : kNone;
}

void PublishEngine::handle(SessionId id, Request request, Time now) {
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  Session& session = found->second;
  switch (request.request_case()) {
    case Request::kBlockItems:
      take_items(id, session, request);
      return;
    case Request::kEndOfBlock:
      if (context_.faults.stall_ingest) return;
      if (session.receiving == request.end_of_block().block_number()) complete(id, session, now);
      return;
    case Request::kEndStream:
      context_.metrics.add(Metric::kPublisherBlockEndstreamReceived);
      close(id);
      return;
    case Request::REQUEST_NOT_SET:
      end(id, Response::EndOfStream::INVALID_REQUEST, last_or_none());
      return;
  }
}

void PublishEngine::take_items(SessionId id, Session& session, Request& request) {
  auto* items = request.mutable_block_items()->mutable_block_items();
  context_.metrics.add(Metric::kPublisherBlockItemsReceived, items->size());
  context_.metrics.add(Metric::kPublisherReceiveLatencyNs, 100'000);
  if (context_.faults.stall_ingest) {
    session.receiving.reset();
    session.block.Clear();
    return;
  }
  if (items->empty()) {
    end(id, Response::EndOfStream::INVALID_REQUEST, last_or_none());
    return;
  }
  if (items->Get(0).has_block_header()) {
    if (!take_header(id, session, items->Get(0).block_header().number())) return;
  } else if (!session.receiving) {
    context_.metrics.add(Metric::kPublisherStreamSetsDropped);
    return;
  }
  context_.metrics.add(Metric::kPublisherBlockItemsMessaged, items->size());
  context_.metrics.add(Metric::kMessagingBlockItemsReceived, items->size());
  for (BlockItem& item : *items) *session.block.add_items() = std::move(item);
}

bool PublishEngine::take_header(SessionId id, Session& session, BlockNumber number) {
  session.receiving.reset();
  session.block.Clear();
  const auto last = hooks_.last();
  if (number < earliest_) {
    end(id, Response::EndOfStream::DUPLICATE_BLOCK, last.value_or(earliest_ - 1));
    return false;
  }
  if (last && number <= *last) {
    const auto window = context_.settings.number_if_set("PRODUCER_DUPLICATE_BLOCK_SKIP_WINDOW");
    if (*last - number > static_cast<BlockNumber>(window.value_or(5))) {
      end(id, Response::EndOfStream::DUPLICATE_BLOCK, *last);
      return false;
    }
  } else if (number > wanted()) {
    Response message;
    message.mutable_node_behind_publisher()->set_block_number(last.value_or(kNone));
    context_.metrics.add(Metric::kPublisherBlockNodeBehindSent);
    reply(id, std::move(message));
    return false;
  } else {
    const bool elsewhere = std::ranges::any_of(sessions_, [&](const auto& other) {
      return other.first != id && other.second.receiving == number;
    });
    if (!elsewhere) {
      session.receiving = number;
      context_.metrics.set(Metric::kPublisherHighestBlockNumberInbound, number);
      context_.metrics.set(Metric::kPublisherLowestBlockNumberInbound, number);
      return true;
    }
    session.skipped.insert(number);
  }
  Response message;
  message.mutable_skip_block()->set_block_number(number);
  context_.metrics.add(Metric::kPublisherBlocksSkipsSent);
  reply(id, std::move(message));
  return false;
}

void PublishEngine::complete(SessionId id, Session& session, Time now) {
  const BlockNumber number = *std::exchange(session.receiving, std::nullopt);
  const Block block = std::exchange(session.block, Block());
  context_.metrics.add(Metric::kPublisherBlocksClosedComplete);
  context_.metrics.add(Metric::kVerificationBlocksReceived);
  context_.metrics.add(Metric::kVerificationBlockTime, 2'000'000);
  context_.metrics.add(Metric::kHashingBlockTime, 1'000'000);
  context_.metrics.add(Metric::kMessagingBlockVerificationNotifications);

  const auto published = published_trust(block);
  // Block 0 brings its own trust material; the blocks after it need it loaded.
  const bool own_trust = state_.trust().ledger_id().empty() && published && number == 0;
  const auto root =
      verify_block(block, number, root_before(number), own_trust ? *published : state_.trust());
  if (!root) {
    context_.metrics.add(Metric::kVerificationProofTssFailure);
    context_.metrics.add(Metric::kVerificationBlocksFailed);
    reject(id, number, root.error());
    return;
  }
  context_.metrics.add(Metric::kVerificationProofTssSuccess);
  context_.metrics.add(Metric::kVerificationBlocksVerified);
  if (published) state_.offer_trust(*published, now);
  roots_[number] = *root;
  while (roots_.size() > kRememberedRoots) roots_.erase(roots_.begin());
  next_ = std::max(next_.value_or(0), number + 1);

  if (!hooks_.persist(number, block.SerializeAsString())) {
    end_all(Response::EndOfStream::PERSISTENCE_FAILED, last_or_none());
    return;
  }
  acknowledge(number, *root);
}

void PublishEngine::reject(SessionId id, BlockNumber number, const std::string& why) {
  context_.outputs.warning(kVerifySource,
                           "Verification failed for block " + std::to_string(number) + ": " + why);
  end(id, Response::EndOfStream::BAD_BLOCK_PROOF, last_or_none());
  ask_again(number);
}

std::optional<Hash> PublishEngine::root_before(BlockNumber number) {
  if (number == 0) return genesis_root();
  if (const auto known = roots_.find(number - 1); known != roots_.end()) return known->second;
  const auto block = hooks_.read(number - 1);
  // Nothing there, or the empty block a full disk left: the link cannot be checked.
  if (!block || block->items().empty()) {
    context_.outputs.warning(kVerifySource, "Previous block of block " + std::to_string(number) +
                                                " is not available, its hash is not checked");
    return std::nullopt;
  }
  return block_root(*block);
}

BlockNumber PublishEngine::wanted() const {
  const auto last = hooks_.last();
  return std::max({earliest_, last ? *last + 1 : 0, next_.value_or(0)});
}

void PublishEngine::acknowledge(BlockNumber number, const Hash& root) {
  context_.metrics.set(Metric::kPublisherLatestBlockNumberAcknowledged, number);
  for (auto& [id, session] : sessions_) {
    session.skipped.erase(number);
    Response message;
    message.mutable_acknowledgement()->set_block_number(number);
    message.mutable_acknowledgement()->set_block_root_hash(to_bytes(root));
    context_.metrics.add(Metric::kPublisherBlocksAckSent);
    reply(id, std::move(message));
  }
}

void PublishEngine::end(SessionId id, Response::EndOfStream::Code code, BlockNumber number) {
  Response message;
  message.mutable_end_stream()->set_status(code);
  message.mutable_end_stream()->set_block_number(number);
  context_.metrics.add(Metric::kPublisherBlockEndofstreamSent);
  context_.outputs.info(kSource, "Ending stream of publisher " + std::to_string(id) + " with " +
                                     Response::EndOfStream::Code_Name(code));
  reply(id, std::move(message), true);
  sessions_.erase(id);
  context_.metrics.set(Metric::kPublisherOpenConnections, sessions_.size());
}

void PublishEngine::end_all(Response::EndOfStream::Code code, BlockNumber number) {
  std::vector<SessionId> ids;
  for (const auto& [id, session] : sessions_) ids.push_back(id);
  for (const SessionId id : ids) end(id, code, number);
}

void PublishEngine::ask_again(BlockNumber number) {
  for (auto& [id, session] : sessions_) {
    if (session.skipped.erase(number) == 0) continue;
    Response message;
    message.mutable_resend_block()->set_block_number(number);
    context_.metrics.add(Metric::kPublisherBlocksResendSent);
    reply(id, std::move(message));
  }
}

void PublishEngine::reply(SessionId id, Response message, bool last) {
  context_.outputs.replies.push_back({id, std::move(message), last});
}

}  // namespace davit::standin
