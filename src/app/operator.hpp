// Operator: everything Davit runs, on one loop, over seams: the simulator builds the same one.
//
//   Operator davit({loop, random, metrics, transport, probe, log}, options);
//   scope.spawn(davit.run());
//
// Holds no state outside itself. Destroying it at any suspension point is safe and sends nothing
// more.
#pragma once

#include <memory>
#include <string>

#include "base/log.hpp"
#include "base/metrics.hpp"
#include "base/random.hpp"
#include "kube/client.hpp"
#include "kube/events.hpp"
#include "operands/blocknode/node_probe.hpp"
#include "operands/blocknode/reconcile.hpp"
#include "runtime/leader.hpp"

namespace davit::app {

struct Env {
  io::Loop& loop;
  Random& random;
  Metrics& metrics;
  io::Transport& api;
  blocknode::NodeProbe& probe;
  Logger log;
};

struct OperatorOptions {
  std::string identity = "davit";   // pod name
  std::string ns = "davit-system";  // where the Lease lives
  bool leader_election = true;
  blocknode::Options blocknode;
};

class Operator {
 public:
  Operator(const Env& env, OperatorOptions options);

  // Until destroyed.
  io::Task<void> run();
  // Orderly shutdown: gives the lease up.
  io::Task<void> release();

  [[nodiscard]] bool leads() const;
  // Empty when every cache is synced, or one line for each that is not, with the reason.
  [[nodiscard]] std::string what_is_not_synced();

 private:
  io::Task<void> report_missing_access();

  Env env_;
  OperatorOptions options_;
  kube::Client client_;
  kube::EventRecorder events_;
  runtime::Leader leader_;
  blocknode::BlockNodeController blocknodes_;
};

}  // namespace davit::app
