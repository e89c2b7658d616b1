// Informer: keeps one Store equal to the server's collection: list, watch, resume, relist.
//
// States: Listing → Watching → (stream ended, error) Watching again from the last version, after
// back-off → (410 Gone) Listing. The store is replaced atomically at the end of a list, so
// deletions missed while disconnected are seen. Bookmarks move the version. Exactly one request is
// active at a time. Back-off 1 s to 60 s with full jitter; a forbidden resource is retried every 30
// s and reported in `error()`, everything else goes on.
//
// Runs in the Scope it is started in. Handlers run on the loop, must not block, and see each change
// after the store has it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/metrics.hpp"
#include "base/random.hpp"
#include "io/scope.hpp"
#include "kube/client.hpp"
#include "runtime/store.hpp"
#include "wire/projection.hpp"

namespace davit::runtime {

struct Change {
  Object before;  // nullptr: added
  Object after;   // nullptr: deleted
};

struct InformerOptions {
  std::string ns;  // empty: all namespaces
  std::string label_selector;
  std::string field_selector;
  // Dotted member paths to keep ("spec", "status.phase"); metadata.{name,namespace,uid,generation,
  // resourceVersion,labels,annotations,ownerReferences,deletionTimestamp,finalizers} always are.
  // Empty: everything but metadata.managedFields.
  std::vector<std::string> projection;
};

class Informer {
 public:
  Informer(kube::Client& client, Random& random, kube::Resource resource, InformerOptions options);

  void on_change(std::function<void(const Change&)> handler);
  // Runs until destroyed.
  io::Task<void> run();

  [[nodiscard]] const kube::Resource& resource() const { return resource_; }
  [[nodiscard]] const Store& store() const { return store_; }
  // True once the first list is complete.
  [[nodiscard]] bool synced() const { return synced_; }
  // The last failure while it lasts: what users must know when Davit lacks a permission.
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }
  // When the server was last heard (event, bookmark, list, orderly end of a watch).
  [[nodiscard]] Monotonic last_contact() const { return last_contact_; }
  // Waits until synced, or the deadline.
  io::Task<Status> wait_synced(io::Deadline deadline);

  // Read-your-own-writes: our write to `key` returned `version`; until this store has seen that
  // version (or a later one, or the key's deletion) `fresh(key)` is false. Forgotten after 30 s,
  // when a live read must decide (`fresh` is then true and `gate_timeouts` counts it).
  void wrote(const ObjectKey& key, const ResourceVersion& version);
  [[nodiscard]] bool fresh(const ObjectKey& key) const;
  [[nodiscard]] std::uint64_t gate_timeouts() const { return gate_timeouts_; }

 private:
  enum class Next { kList, kWatch };

  io::Task<Result<Next>> list();
  io::Task<Result<Next>> watch();
  Status take(std::string_view line);
  io::Task<void> back_off(const Error& error);
  void notify(const Change& change);
  [[nodiscard]] bool seen(const ObjectKey& key, const ResourceVersion& version) const;

  struct PendingWrite {
    ResourceVersion version;
    Monotonic expires;
  };

  kube::Client* client_;
  Random* random_;
  kube::Resource resource_;
  InformerOptions options_;
  Store store_;
  bool synced_ = false;
  std::optional<Error> error_;
  Monotonic last_contact_;
  wire::Projection projection_;
  wire::ProjectionReader reader_;
  std::vector<std::function<void(const Change&)>> handlers_;
  int failures_ = 0;
  mutable std::unordered_map<ObjectKey, PendingWrite> pending_writes_;
  mutable std::uint64_t gate_timeouts_ = 0;
  io::Notify synced_signal_;
};

}  // namespace davit::runtime
