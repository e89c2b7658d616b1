// Publisher: a consensus node in front of one Block Node: sends so many blocks each period while it
// can, goes on from what the node asks for, and comes back a period after it was sent away.
//
// Driven from outside, a period at a time. One thread.
#pragma once

#include "sim/blocknode/chain_store.hpp"
#include "sim/blocknode/server.hpp"

namespace davit::sim {

class Publisher {
 public:
  unsigned blocks = 0;  // each period
  Duration period{std::chrono::seconds(1)};

  // One period's work at `server` (null: nobody listens), `run` names its process.
  void round(Server* server, std::uint64_t run, ChainStore& chain);
  // It goes away and says so, if the connection is still there.
  void leave(Server* server, std::uint64_t run);
  // The highest block it ever sent.
  [[nodiscard]] std::optional<standin::BlockNumber> highest() const { return highest_; }
  [[nodiscard]] bool is_connected_to(std::uint64_t run) const { return session_ && run_ == run; }

 private:
  void connect(Server& server, std::uint64_t run);
  void send(Server& server, const std::string& block);
  void hear(const std::vector<standin::PublishReply>& replies);

  std::optional<standin::SessionId> session_;
  std::uint64_t run_ = 0;
  standin::BlockNumber next_ = 0;
  std::optional<standin::BlockNumber> highest_;
};

}  // namespace davit::sim
