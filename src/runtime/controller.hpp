// Controller: runs one reconcile per key at a time, never two of the same key at once.
//
// Keys come from informers through mapping functions, from timers (`requeue_after`) and from
// `enqueue`. The queue de-duplicates; changed keys go before resynced ones; failures back off per
// key (0.5 s doubling to 5 min, full jitter, a server's Retry-After wins) and success resets the
// back-off. Nothing runs before all informers given to `needs` or plainly to `watches` are synced,
// nor while this process does not own the key (leader election): a reconcile whose key is no longer
// owned is destroyed within a second, or at once by ownership_changed(). A key whose object is
// older in the cache than our own write to it waits. A reconcile that throws is an Error of
// kInternal. The whole thing is one coroutine tree inside run(): destroying it at any suspension
// point is safe and sends nothing more.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/metrics.hpp"
#include "base/random.hpp"
#include "io/scope.hpp"
#include "runtime/informer.hpp"

namespace davit::runtime {

// What a reconcile wants next.
struct Outcome {
  // Run again after this time even if nothing changes; nullopt: only on changes.
  std::optional<Duration> requeue_after;
};

using Reconcile = std::function<io::Task<Result<Outcome>>(ObjectKey)>;

struct ControllerOptions {
  std::string name;                           // in metrics and logs: "blocknode"
  int concurrency = 4;                        // keys at once
  Duration resync{std::chrono::minutes(10)};  // every key is looked at this often
  std::function<void(const ObjectKey&, const Error&)> on_error;  // a reconcile failed; for logs
};

class Controller {
 public:
  Controller(io::Loop& loop, Random& random, Metrics& metrics, ControllerOptions options,
             Reconcile reconcile);
  ~Controller();
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Each change of `informer` enqueues the key of the object itself; it is needed.
  void watches(Informer& informer);
  // Each change enqueues what `map` says (called with the object before and after, either may be
  // null). Waited for, unless it is forbidden to list: the reconcile must look whether it is
  // synced.
  void watches(Informer& informer, std::function<std::vector<ObjectKey>(const Change&)> map);
  // Children: enqueues the controller owner of kind `owner`, whose name is in ownerReferences.
  void owns(Informer& informer, kube::Resource owner);
  void needs(Informer& informer);
  // Asked before each reconcile and while it runs; default: always true.
  void set_owns_key(std::function<bool(const ObjectKey&)> owns);
  // What set_owns_key's function says may have changed. Not from inside a reconcile.
  void ownership_changed();

  void enqueue(ObjectKey key);
  void enqueue_after(ObjectKey key, Duration delay);
  [[nodiscard]] std::size_t depth() const;

  io::Task<void> run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace davit::runtime
