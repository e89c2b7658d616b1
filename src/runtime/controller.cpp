#include "runtime/controller.hpp"

#include <utility>

#include "base/log.hpp"
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

}  // namespace

struct Controller::Impl {
  Impl(io::Loop& l, Random& r, Metrics& m, ControllerOptions o, Reconcile reconcile_function)
      : loop(l),
        metrics(m),
        options(std::move(o)),
        reconcile(std::move(reconcile_function)),
        queue(l, r) {}

  io::Loop& loop;
  Metrics& metrics;
  ControllerOptions options;
  Reconcile reconcile;
  Queue queue;
  std::vector<Informer*> needed;
  std::vector<Informer*> keyed;  // whose own keys are ours: resynced
  std::function<bool(const ObjectKey&)> owns_key;
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
  needs(informer);
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

namespace {

// True when every informer is synced, or cannot be because of a lasting refusal (reported
// elsewhere).
bool may_start(const std::vector<Informer*>& informers) {
  for (const Informer* informer : informers) {
    const bool refused = informer->error() && informer->error()->code() == Code::kForbidden;
    if (!informer->synced() && !refused) return false;
  }
  return true;
}

io::Task<Result<Outcome>> guarded(const Reconcile& reconcile, ObjectKey key) {
  std::string what;
  try {
    co_return co_await reconcile(std::move(key));
  } catch (const std::exception& exception) {
    what = exception.what();
  }
  co_return fail(Code::kInternal, "a bug in Davit, please report it: " + what);
}

}  // namespace

struct ControllerWork {
  template <typename Impl>
  static io::Task<void> worker(Impl& impl) {
    for (;;) {
      const ObjectKey key = co_await impl.queue.take();
      if (impl.owns_key && !impl.owns_key(key)) {
        impl.queue.done(key);
        impl.queue.add_after(key, std::chrono::seconds(2));
        continue;
      }
      const Monotonic begin = impl.loop.now();
      const Result<Outcome> outcome = co_await guarded(impl.reconcile, key);
      finish(impl, key, outcome, impl.loop.now() - begin);
      co_await io::yield(impl.loop);
    }
  }

  template <typename Impl>
  static void finish(Impl& impl, const ObjectKey& key, const Result<Outcome>& outcome,
                     Duration took) {
    const std::string& name = impl.options.name;
    impl.metrics.histogram(kReconcileSeconds, {name})
        .observe(std::chrono::duration<double>(took).count());
    impl.queue.done(key);
    if (outcome) {
      impl.metrics.counter(kReconciles, {name, "ok"}).add();
      impl.queue.succeeded(key);
      if (outcome->requeue_after) impl.queue.add_after(key, *outcome->requeue_after);
    } else {
      impl.metrics.counter(kReconciles, {name, std::string(to_string(outcome.error().code()))})
          .add();
      if (impl.options.on_error) impl.options.on_error(key, outcome.error());
      impl.queue.add_after(key, impl.queue.failed(key, outcome.error().retry_after()));
    }
  }

  template <typename Impl>
  static io::Task<void> resync(Impl& impl) {
    for (;;) {
      co_await io::sleep_for(impl.loop, impl.options.resync);
      for (const Informer* informer : impl.keyed) {
        for (const Object& object : informer->store().all()) {
          impl.queue.add(kube::key_of(*object), Priority::kResync);
        }
      }
    }
  }
};

io::Task<void> Controller::run() {
  Impl& impl = *impl_;
  const ScrapeHook hook = impl.metrics.on_scrape([&metrics = impl.metrics, &impl] {
    metrics.gauge(kQueueDepth, {impl.options.name}).set(static_cast<double>(impl.queue.depth()));
  });
  while (!may_start(impl.needed)) co_await io::sleep_for(impl.loop, std::chrono::milliseconds(50));
  io::Scope scope(impl.loop);
  for (int i = 0; i < impl.options.concurrency; ++i) scope.spawn(ControllerWork::worker(impl));
  scope.spawn(ControllerWork::resync(impl));
  co_await scope.join();
}

}  // namespace davit::runtime
