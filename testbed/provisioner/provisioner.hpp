// Provisioner: gives claims of our storage classes a HostVolume, grows it, and takes it back.
//
// A small operator on Davit's own runtime, and the sample to read first: two informers, one
// controller per kind, reconciles that look only at current state.
//   claim without a volume   → host volume, PersistentVolume bound to it by claimRef
//   claim asks for more      → host volume grown, then capacity of volume and claim
//   volume Released, Delete  → host volume removed, then the PersistentVolume
// Serves StorageClasses whose provisioner is `davit.hiero.org/local`.
#pragma once

#include <string>

#include "base/log.hpp"
#include "kube/client.hpp"
#include "runtime/controller.hpp"
#include "runtime/informer.hpp"
#include "testbed/provisioner/host_volumes.hpp"

namespace davit::testbed {

inline constexpr std::string_view kProvisioner = "davit.hiero.org/local";

class Provisioner {
 public:
  Provisioner(kube::Client& client, Random& random, Metrics& metrics, HostVolumes volumes,
              std::string node, Logger log);

  // Until destroyed.
  io::Task<void> run();

 private:
  io::Task<Result<runtime::Outcome>> reconcile_claim(ObjectKey key);
  io::Task<Result<runtime::Outcome>> reconcile_volume(ObjectKey key);
  io::Task<Status> provision(runtime::Object claim, std::string reclaim, std::uint64_t bytes);
  io::Task<Status> expand(runtime::Object claim, runtime::Object volume, std::uint64_t bytes);

  kube::Client* client_;
  HostVolumes volumes_;
  std::string node_;
  runtime::Informer classes_;
  runtime::Informer claims_;
  runtime::Informer persistent_volumes_;
  runtime::Controller claim_controller_;
  runtime::Controller volume_controller_;
};

}  // namespace davit::testbed
