// Informers: the caches one BlockNode controller lives on. Everything but BlockNodes and claims is
// selected by the managed-by label; claims are seen whole, because existingClaim names one of
// somebody else's, and a foreign claim must not be taken for ours.
//
// On the loop's thread. Only the BlockNodes are needed to reconcile: what Davit may not list is
// reported, and the rest goes on.
#pragma once

#include "operands/blocknode/types.hpp"
#include "runtime/informer.hpp"

namespace davit::blocknode {

struct Informers {
  Informers(kube::Client& client, Random& random, const std::string& ns);

  runtime::Informer nodes;
  runtime::Informer statefulsets;
  runtime::Informer pods;
  runtime::Informer claims;
  runtime::Informer services;
  runtime::Informer configmaps;
  runtime::Informer serviceaccounts;
  runtime::Informer budgets;

  // All but `nodes`.
  [[nodiscard]] std::vector<runtime::Informer*> children();
  [[nodiscard]] std::vector<const runtime::Informer*> children() const;
  // nullptr for a resource without one.
  [[nodiscard]] runtime::Informer* of(const kube::Resource& resource);
};

}  // namespace davit::blocknode
