#include "standin/blocknode/server/node_host.hpp"

#include "standin/blocknode/server/log.hpp"

namespace davit::standin {

SessionId NodeHost::add_publisher(std::shared_ptr<PublishSink> sink) {
  return with([&](NodeModel& model) {
    const SessionId id = model.open_publisher();
    sinks_[id] = std::move(sink);
    return id;
  });
}

void NodeHost::remove_publisher(SessionId id) {
  with([&](NodeModel& model) {
    sinks_.erase(id);
    model.close_publisher(id);
  });
}

void NodeHost::add_waiter(std::shared_ptr<BlockWaiter> waiter) {
  with([&](NodeModel& model) {
    model.subscriber_opened();
    waiters_.insert(std::move(waiter));
  });
}

void NodeHost::remove_waiter(const std::shared_ptr<BlockWaiter>& waiter) {
  with([&](NodeModel& model) {
    if (waiters_.erase(waiter) > 0) model.subscriber_closed();
  });
}

void NodeHost::collect(Pending& pending) {
  Outputs outputs = model_.take_outputs();
  for (const LogLine& line : outputs.log) write_log(line);
  for (PublishReply& reply : outputs.replies) {
    const auto found = sinks_.find(reply.session);
    if (found == sinks_.end()) continue;
    found->second->queue(std::move(reply));
    pending.sinks.insert(found->second);
  }
  if (outputs.blocks_available) {
    pending.changed = true;
    pending.waiters.assign(waiters_.begin(), waiters_.end());
  }
}

void NodeHost::deliver(const Pending& pending) const {
  for (const auto& sink : pending.sinks) sink->send();
  for (const auto& waiter : pending.waiters) waiter->blocks_available();
  if (pending.changed && on_change_) on_change_();
}

}  // namespace davit::standin
