// BlockNodeController: keeps every BlockNode what its spec says, and tells how it is.
//
//   blocknode::BlockNodeController nodes(loop, random, metrics, client, events, probe,
//                                        {.settings = {.davit_image = image}});
//   scope.spawn(nodes.run());
//
// One pass over a key: look (caches → Snapshot) → make_plan (pure) → Executor → make_status (pure),
// written if worth it. Rounds of questions to the nodes run beside the passes and enqueue their key
// when done. An action that fails is tried again later on its own clock; the pass itself succeeds,
// so that status keeps telling the truth. Passes end with a wish to run again when the next round
// or attempt is due.
//
// One thread, that of the loop; references must outlive it. Destroying it at any point sends
// nothing more. Children are mapped to keys by label, not by owner: orphans and retained claims
// have none.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "kube/events.hpp"
#include "operands/blocknode/execute.hpp"
#include "operands/blocknode/fleet.hpp"
#include "operands/blocknode/observe.hpp"
#include "runtime/controller.hpp"

namespace davit::blocknode {

struct Options {
  Settings settings;
  Cadence cadence;
  std::string ns;  // empty: all namespaces
  int concurrency = 4;
  std::function<void(const ObjectKey&, const Error&)> on_error = {};  // a pass failed; for logs
};

class BlockNodeController {
 public:
  BlockNodeController(io::Loop& loop, Random& random, Metrics& metrics, kube::Client& client,
                      kube::EventRecorder& events, NodeProbe& probe, Options options);

  // Leader election: asked before each pass and each Event. Default: always true.
  void set_owns_key(std::function<bool(const ObjectKey&)> owns);
  // What set_owns_key says has changed: passes of keys no longer owned end at once.
  void ownership_changed() { controller_.ownership_changed(); }
  io::Task<void> run();

  // What runs on: for health endpoints and tests.
  [[nodiscard]] Informers& informers() { return informers_; }
  [[nodiscard]] runtime::Controller& controller() { return controller_; }

 private:
  io::Task<Result<runtime::Outcome>> reconcile(ObjectKey key);
  io::Task<Status> execute(ObjectKey key, Plan plan, std::shared_ptr<NodeState> state,
                           std::vector<Failure>& failures);
  io::Task<void> ask_node(ObjectKey key, Question question, std::shared_ptr<NodeState> state);
  io::Task<void> note_claim(ObjectKey key, std::string claim, std::shared_ptr<NodeState> state);

  void wire_up();
  void node_changed(const runtime::Change& change);
  std::vector<ObjectKey> nodes_of(const runtime::Change& change, bool whole_namespace) const;
  void tell_quarantine(const ObjectKey& key, const Observation& seen);
  void tell_deletion(const json::object& object);
  void announce(const json::object& object, const std::vector<Announcement>& events);
  void start_asking(const ObjectKey& key, const Snapshot& snapshot,
                    const std::shared_ptr<NodeState>& state, bool settled);
  void start_noting(const ObjectKey& key, const Snapshot& snapshot,
                    const std::shared_ptr<NodeState>& state);
  [[nodiscard]] bool still_listing() const;
  [[nodiscard]] Duration next_pass(const NodeState& state, bool settled) const;

  io::Loop* loop_;
  Random* random_;
  kube::Client* client_;
  kube::EventRecorder* events_;
  NodeProbe* probe_;
  Options options_;
  Informers informers_;
  runtime::Applier applier_;
  Executor executor_;
  Fleet fleet_;
  std::map<Uid, std::shared_ptr<NodeState>> states_;
  std::function<bool(const ObjectKey&)> owns_;
  runtime::Controller controller_;
  io::Scope rounds_;  // last: its children use all of the above
};

}  // namespace davit::blocknode
