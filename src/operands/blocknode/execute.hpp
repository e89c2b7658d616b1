// Executor: carries out the actions of a plan, one request (or, before something destructive, a
// live read and a request with preconditions) each. The only place of this module that writes to
// the API.
//
// On the loop's thread. Fails with what the server said, or with what the Applier found
// (NotOurs, FieldContested). Nothing is retried here.
#pragma once

#include "operands/blocknode/action.hpp"
#include "operands/blocknode/informers.hpp"
#include "operands/blocknode/node_state.hpp"
#include "runtime/applier.hpp"

namespace davit::blocknode {

inline constexpr std::string_view kManager = "davit-blocknode";

class Executor {
 public:
  Executor(kube::Client& client, runtime::Applier& applier, Informers& informers)
      : client_(&client), applier_(&applier), informers_(&informers) {}

  // `state` learns reclaim policies.
  io::Task<Status> run(Action action, std::shared_ptr<NodeState> state);
  io::Task<Status> write_status(BlockNode node, BlockNodeStatus status);

 private:
  io::Task<Status> apply(Apply action);
  io::Task<Status> release(runtime::Informer& informer, const json::object& live);
  io::Task<Status> replace_ports(Apply action);
  io::Task<Status> create_claim(CreateClaim action);
  io::Task<Status> patch_claim(PatchClaim action);
  io::Task<Status> protect(ProtectVolume action, std::shared_ptr<NodeState> state);
  io::Task<Status> restart(RestartPod action);
  // This very object at this very version; that it is gone already is as good.
  io::Task<Status> remove_exactly(kube::Resource resource, ObjectKey key, Uid uid,
                                  ResourceVersion version);
  kube::Client* client_;
  runtime::Applier* applier_;
  Informers* informers_;
};

}  // namespace davit::blocknode
