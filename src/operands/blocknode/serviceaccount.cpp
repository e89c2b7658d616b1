// The pod's identity: none towards the API, so no token is mounted.
#include "operands/blocknode/build.hpp"
#include "operands/blocknode/child.hpp"
#include "operands/blocknode/names.hpp"

namespace davit::blocknode {

json::object build_serviceaccount(const BuildInput& in) {
  json::object account = child(*in.node, kube::kServiceAccounts, serviceaccount_name(in.node->key));
  account["automountServiceAccountToken"] = false;
  return account;
}

}  // namespace davit::blocknode
