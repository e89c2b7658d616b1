#include "app/operator.hpp"

#include "app/access.hpp"

namespace davit::app {

namespace {

inline constexpr MetricDef kLeads{.name = "davit_leader",
                                  .help = "1 while this process leads, 0 while it stands by."};

std::string identity_of(const std::string& name, Random& random) {
  return name + "_" + std::to_string(random.next() % 1'000'000);
}

}  // namespace

Operator::Operator(const Env& env, OperatorOptions options)
    : env_(env),
      options_(std::move(options)),
      client_(env_.api, env_.loop),
      events_(client_, env_.random, {.instance = options_.identity}),
      leader_(client_, env_.random,
              {.lease = {options_.ns, "davit"},
               .identity = identity_of(options_.identity, env_.random)}),
      blocknodes_(env_.loop, env_.random, env_.metrics, client_, events_, env_.probe,
                  options_.blocknode) {
  events_.on_failure([log = env_.log](const Error& error) {
    // The namespace goes, and with it what the Event is about (k8s.io/api: NamespaceTerminating).
    if (error.message().find("because it is being terminated") != std::string::npos) return;
    log.warn("an Event could not be written", {{"error", error}});
  });
  leader_.on_change([this](bool leads) {
    env_.metrics.gauge(kLeads).set(leads ? 1 : 0);
    blocknodes_.ownership_changed();
    env_.log.info(leads ? "this process leads" : "this process stands by",
                  {{"holder", leader_.holder()}});
  });
  blocknodes_.set_owns_key([this](const ObjectKey&) { return leads(); });
}

bool Operator::leads() const { return !options_.leader_election || leader_.is_leader(); }

io::Task<void> Operator::run() {
  io::Scope scope(env_.loop);
  if (options_.leader_election) scope.spawn(leader_.run());
  scope.spawn(blocknodes_.run());
  scope.spawn(report_missing_access());
  co_await scope.join();
}

io::Task<void> Operator::release() { return leader_.release(); }

// Says at start what Davit may not do, in one line each; the rest goes on.
io::Task<void> Operator::report_missing_access() {
  const auto missing = co_await kube::find_missing(client_, access_tables(), options_.blocknode.ns);
  if (!missing) {
    env_.log.warn("cannot ask which permissions are granted", {{"error", missing.error()}});
    co_return;
  }
  for (const kube::MissingAccess& access : *missing) {
    env_.log.error(access.describe(), {{"remedy", "kubectl apply --server-side -k deploy"}});
  }
}

std::string Operator::what_is_not_synced() {
  std::string lines;
  blocknode::Informers& informers = blocknodes_.informers();
  std::vector<runtime::Informer*> all = informers.children();
  all.push_back(&informers.nodes);
  for (const runtime::Informer* informer : all) {
    if (informer->synced()) continue;
    lines += std::string(informer->resource().plural) + " are not listed yet";
    if (informer->error()) lines += ": " + informer->error()->describe();
    lines += "\n";
  }
  return lines;
}

}  // namespace davit::app
