#include "runtime/controller.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/mutant.hpp"
#include "runtime/queue.hpp"

namespace davit::runtime {

namespace {

inline constexpr MetricDef kReconciles{.name = "davit_reconciles_total",
                                       .help = "Reconciles, by controller and result.",
                                       .type = MetricType::kCounter,
                                       .labels = {"controller", "result"}};
inline constexpr MetricDef kReconcileSeconds{.name = "davit_reconcile_seconds",
                                             .help = "Time of one reconcile.",
                                             .unit = "seconds",
                                             .type = MetricType::kHistogram,
                                             .labels = {"controller"}};
inline constexpr MetricDef kQueueDepth{.name = "davit_queue_depth",
                                       .help = "Keys that wait for a reconcile.",
                                       .type = MetricType::kGauge,
                                       .labels = {"controller"}};

constexpr Duration kStaleDelay = std::chrono::milliseconds(100);
constexpr Duration kOwnershipCheck = std::chrono::seconds(1);

}  // namespace

struct Controller::Impl {
  Impl(io::Loop& l, Random& r, Metrics& m, ControllerOptions o, Reconcile reconcile_function)
      : loop(l),
        metrics(m),
        options(std::move(o)),
        reconcile(std::move(reconcile_function)),
        queue(l, r) {}

  // One reconcile under way, in a scope of its own so that it can be ended alone.
  struct Running {
    explicit Running(io::Loop& l) : outcome(l), scope(l) {}
    io::OneShot<Result<Outcome>> outcome;
    io::Scope scope;
  };

  [[nodiscard]] bool owns(const ObjectKey& key) const { return !owns_key || owns_key(key); }
  [[nodiscard]] bool is_fresh(const ObjectKey& key) const {
    return std::ranges::all_of(keyed,
                               [&](const Informer* informer) { return informer->fresh(key); });
  }

  io::Task<void> wait_for_informers();
  io::Task<void> worker();
  io::Task<Result<Outcome>> run_one(ObjectKey key);
  void finish(const ObjectKey& key, const Result<Outcome>& outcome, Duration took);
  io::Task<void> resync();
  io::Task<void> follow_ownership();
  void check_ownership();

  io::Loop& loop;
  Metrics& metrics;
  ControllerOptions options;
  Reconcile reconcile;
  Queue queue;
  std::vector<Informer*> needed;  // must be synced
  std::vector<Informer*> mapped;  // synced, or forbidden
  std::vector<Informer*> keyed;   // whose own keys are ours: resynced
  std::function<bool(const ObjectKey&)> owns_key;
  std::unordered_set<ObjectKey> parked;  // not owned when their turn came
  std::unordered_map<ObjectKey, Running*> running;
};

Controller::Controller(io::Loop& loop, Random& random, Metrics& metrics, ControllerOptions options,
                       Reconcile reconcile)
    : impl_(std::make_unique<Impl>(loop, random, metrics, std::move(options),
                                   std::move(reconcile))) {}
Controller::~Controller() = default;

void Controller::watches(Informer& informer) {
  needs(informer);
  impl_->keyed.push_back(&informer);
  informer.on_change([impl = impl_.get()](const Change& change) {
    impl->queue.add(kube::key_of(change.after ? *change.after : *change.before));
  });
}

void Controller::watches(Informer& informer,
                         std::function<std::vector<ObjectKey>(const Change&)> map) {
  impl_->mapped.push_back(&informer);
  informer.on_change([impl = impl_.get(), map = std::move(map)](const Change& change) {
    for (ObjectKey& key : map(change)) impl->queue.add(std::move(key));
  });
}

void Controller::owns(Informer& informer, kube::Resource owner) {
  watches(informer, [owner](const Change& change) {
    std::vector<ObjectKey> keys;
    for (const Object& object : {change.before, change.after}) {
      if (!object) continue;
      const json::array* references = wire::find_array(*object, "metadata.ownerReferences");
      if (references == nullptr) continue;
      for (const json::value& value : *references) {
        if (!value.is_object()) continue;
        const json::object& reference = value.get_object();
        if (wire::find_string(reference, "kind") == owner.kind &&
            wire::find_bool(reference, "controller", false)) {
          keys.push_back(
              {kube::key_of(*object).ns, std::string(wire::find_string(reference, "name"))});
        }
      }
    }
    return keys;
  });
}

void Controller::needs(Informer& informer) { impl_->needed.push_back(&informer); }
void Controller::set_owns_key(std::function<bool(const ObjectKey&)> owns) {
  impl_->owns_key = std::move(owns);
}
void Controller::enqueue(ObjectKey key) { impl_->queue.add(std::move(key)); }
void Controller::enqueue_after(ObjectKey key, Duration delay) {
  impl_->queue.add_after(std::move(key), delay);
}
std::size_t Controller::depth() const { return impl_->queue.depth(); }

void Controller::ownership_changed() { impl_->check_ownership(); }

namespace {

io::Task<void> guarded(const Reconcile& reconcile, ObjectKey key,
                       io::OneShot<Result<Outcome>>& outcome) {
  std::string what;
  try {
    outcome.set(co_await reconcile(std::move(key)));
    co_return;
  } catch (const std::exception& exception) {
    what = exception.what();
  } catch (...) {
    what = "something that is no exception was thrown";
  }
  outcome.set(fail(Code::kInternal, "a bug in Davit, please report it: " + what));
}

}  // namespace

io::Task<void> Controller::Impl::wait_for_informers() {
  for (Informer* informer : needed) (void)co_await informer->wait_synced(io::Deadline::never());
  if (mutant(kActUnsynced)) co_return;
  for (Informer* informer : mapped) co_await informer->wait_settled();
}

io::Task<Result<Outcome>> Controller::Impl::run_one(ObjectKey key) {
  Running one(loop);
  struct Listed {
    Impl* impl;
    const ObjectKey* key;
    ~Listed() { impl->running.erase(*key); }
  } const listed{this, &key};
  running.emplace(key, &one);
  one.scope.spawn(guarded(reconcile, key, one.outcome));
  co_return co_await one.outcome;
}

io::Task<void> Controller::Impl::worker() {
  for (;;) {
    const ObjectKey key = co_await queue.take();
    if (!owns(key)) {
      queue.done(key);
      parked.insert(key);
      continue;
    }
    if (!is_fresh(key)) {
      queue.done(key);
      queue.add_after(key, kStaleDelay);
      continue;
    }
    const Monotonic begin = loop.now();
    const Result<Outcome> outcome = co_await run_one(key);
    finish(key, outcome, loop.now() - begin);
    co_await io::yield(loop);
  }
}

void Controller::Impl::finish(const ObjectKey& key, const Result<Outcome>& outcome, Duration took) {
  const std::string& name = options.name;
  metrics.histogram(kReconcileSeconds, {name}).observe(std::chrono::duration<double>(took).count());
  queue.done(key);
  if (outcome) {
    metrics.counter(kReconciles, {name, "ok"}).add();
    queue.succeeded(key);
    if (outcome->requeue_after) queue.add_after(key, *outcome->requeue_after);
    return;
  }
  const Error& error = outcome.error();
  metrics.counter(kReconciles, {name, std::string(to_string(error.code()))}).add();
  if (error.code() == Code::kCancelled && !owns(key)) {
    parked.insert(key);
    return;
  }
  if (options.on_error) options.on_error(key, error);
  queue.add_after(key, queue.failed(key, error.retry_after()));
}

io::Task<void> Controller::Impl::resync() {
  for (;;) {
    co_await io::sleep_for(loop, options.resync);
    for (const Informer* informer : keyed) {
      for (const Object& object : informer->store().all()) {
        queue.add(kube::key_of(*object), Priority::kResync);
      }
    }
  }
}

void Controller::Impl::check_ownership() {
  std::vector<ObjectKey> ours;
  for (const ObjectKey& key : parked) {
    if (owns(key)) ours.push_back(key);
  }
  for (ObjectKey& key : ours) {
    parked.erase(key);
    queue.add(std::move(key));
  }
  for (const auto& [key, one] : running) {
    if (owns(key)) continue;
    one->scope.cancel();
    one->outcome.set(fail(Code::kCancelled, "this process no longer leads"));
  }
}

io::Task<void> Controller::Impl::follow_ownership() {
  for (;;) {
    co_await io::sleep_for(loop, kOwnershipCheck);
    check_ownership();
  }
}

io::Task<void> Controller::run() {
  Impl& impl = *impl_;
  const ScrapeHook hook = impl.metrics.on_scrape([&metrics = impl.metrics, &impl] {
    metrics.gauge(kQueueDepth, {impl.options.name}).set(static_cast<double>(impl.queue.depth()));
  });
  impl.queue.forget_workers();  // of an earlier run that was destroyed
  co_await impl.wait_for_informers();
  io::Scope scope(impl.loop);
  for (int i = 0; i < impl.options.concurrency; ++i) scope.spawn(impl.worker());
  scope.spawn(impl.resync());
  if (impl.owns_key) scope.spawn(impl.follow_ownership());
  co_await scope.join();
}

}  // namespace davit::runtime
