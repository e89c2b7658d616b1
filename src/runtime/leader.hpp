// Leader: one Davit works, the others are warm: synced caches, no writes.
//
// A Lease, judged as client-go does: a rival's claim counts as expired when *this* process has seen
// it unchanged for the lease's duration on its own monotonic clock; wall clocks of two machines are
// never compared. A leader that has not renewed within the renew deadline stops leading before
// anybody else may begin. A Lease does not fence: destructive acts carry preconditions as well.
//
// 15 s lease, 10 s renew deadline, a try every 2 s. `release` (orderly shutdown) lets a standby
// take over at once. One thread: that of the Loop. Destroying it sends nothing.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/random.hpp"
#include "io/sync.hpp"
#include "kube/lease.hpp"

namespace davit::runtime {

struct LeaderOptions {
  ObjectKey lease;
  std::string identity;  // unique to this process: pod name and a random part
  std::chrono::seconds duration{15};
  Duration renew_deadline{std::chrono::seconds(10)};
  Duration retry{std::chrono::seconds(2)};
};

class Leader {
 public:
  Leader(kube::Client& client, Random& random, LeaderOptions options);

  [[nodiscard]] bool is_leader() const;
  // Who leads as far as is known; empty: nobody.
  [[nodiscard]] const std::string& holder() const { return seen_.holder; }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  // Called when is_leader() changes.
  void on_change(std::function<void(bool leads)> handler) { on_change_ = std::move(handler); }

  // Until destroyed.
  io::Task<void> run();
  // Gives the lease up, if held, and stands for it no more.
  io::Task<void> release();

 private:
  io::Task<Status> try_once();
  void observe(kube::Lease lease);
  void lead_until(Monotonic until);
  void stop_leading();
  void check();

  kube::Client* client_;
  Random* random_;
  LeaderOptions options_;
  kube::Leases leases_;
  kube::Lease seen_;
  Monotonic seen_at_;  // when it last changed before our eyes
  std::optional<Monotonic> leads_until_;
  bool told_ = false;
  bool retired_ = false;
  std::optional<Error> error_;
  std::function<void(bool)> on_change_;
};

}  // namespace davit::runtime
