// Informer: keeps one Store equal to the server's collection: list, watch, resume, relist.
//
// States: Listing → Watching → (stream ended, error) Watching again from the last version, after
// back-off → (410 Gone) Listing. The store is replaced atomically at the end of a list, so
// deletions missed while disconnected are seen. Bookmarks move the version. Exactly one request is
// active at a time. Back-off 1 s to 60 s with full jitter; a forbidden resource is retried every 30
// s and reported in `error()`, everything else goes on. An event that cannot be read twice in a row
// leads to a new list. A list older than what is known (a server restored or lagging behind) is
// refused a few times before it is believed; an event older than the object it speaks of is
// dropped.
//
// Runs in the Scope it is started in. Handlers run on the loop, must not block, and see each change
// after the store has it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

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
  // Synced, or not allowed to be: what a controller that can do without waits for.
  [[nodiscard]] bool settled() const;
  io::Task<void> wait_settled();

  // Read-your-own-writes: our write to `key` returned `version`; until this store has seen that
  // version (or a later one, or the key's deletion, or a list begun after the write) `fresh(key)`
  // is false. Forgotten after 30 s, when a live read must decide (`fresh` is then true and
  // `gate_timeouts` counts it).
  void wrote(const ObjectKey& key, const ResourceVersion& version);
  [[nodiscard]] bool fresh(const ObjectKey& key) const;
  [[nodiscard]] std::uint64_t gate_timeouts() const { return gate_timeouts_; }
  // Completed lists since the start: 1 in a life without trouble.
  [[nodiscard]] std::uint64_t lists() const { return lists_; }

 private:
  enum class Next { kList, kWatch };

  io::Task<Result<Next>> list();
  io::Task<Result<kube::List>> read_all();
  io::Task<Result<Next>> watch();
  Next after_failure(const Error& error, Next failed);
  Status take(std::string_view line);
  void put(json::object object);
  void erase(json::object object);
  [[nodiscard]] bool is_older_than_known(const json::object& object) const;
  [[nodiscard]] bool goes_back(const ResourceVersion& version);
  void advance_to(ResourceVersion version);
  io::Task<void> back_off(Error error);
  io::Task<Status> synced_signalled();
  void notify(const Change& change);

  struct PendingWrite {
    ResourceVersion version;
    Monotonic expires;
    std::uint64_t lists_begun;  // at the time of the write
  };
  [[nodiscard]] bool seen(const ObjectKey& key, const PendingWrite& write) const;

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
  int failures_ = 0;     // in a row: the length of the back-off
  int bad_events_ = 0;   // in a row: when to list again
  int older_lists_ = 0;  // in a row: when to believe one
  std::uint64_t lists_begun_ = 0, lists_ = 0, last_list_ = 0;
  mutable std::unordered_map<ObjectKey, PendingWrite> pending_writes_;
  mutable std::uint64_t gate_timeouts_ = 0;
  io::Notify settled_signal_;
};

}  // namespace davit::runtime
