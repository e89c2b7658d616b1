#include "runtime/leader.hpp"

#include "io/scope.hpp"

namespace davit::runtime {

namespace {
constexpr int kReleaseAttempts = 3;
}

Leader::Leader(kube::Client& client, Random& random, LeaderOptions options)
    : client_(&client),
      random_(&random),
      options_(std::move(options)),
      leases_(client, FieldManager("davit-leader")) {}

bool Leader::is_leader() const { return leads_until_ && client_->loop().now() < *leads_until_; }

void Leader::check() {
  if (is_leader() == told_) return;
  told_ = !told_;
  if (on_change_) on_change_(told_);
}

void Leader::lead_until(Monotonic until) {
  leads_until_ = until;
  check();
}

void Leader::stop_leading() {
  leads_until_.reset();
  check();
}

void Leader::observe(kube::Lease lease) {
  if (lease.version != seen_.version) seen_at_ = client_->loop().now();
  seen_ = std::move(lease);
}

io::Task<void> Leader::run() {
  io::Loop& loop = client_->loop();
  while (!retired_) {
    const Status tried =
        co_await io::with_deadline(loop, io::Deadline::after(loop, options_.renew_deadline / 2),
                                   try_once(), "the API server, asked for the leader's Lease,");
    error_.reset();
    if (!tried && tried.error().code() != Code::kConflict &&
        tried.error().code() != Code::kAlreadyExists) {
      error_ = tried.error();
    }
    check();
    // Jitter, so that standbys do not all try at the same moment.
    const auto jitter = static_cast<Duration::rep>(static_cast<double>(options_.retry.count()) *
                                                   0.2 * random_->unit());
    Monotonic wake = loop.now() + options_.retry + Duration(jitter);
    if (is_leader()) wake = std::min(wake, *leads_until_);
    co_await io::sleep_until(loop, wake);
    check();
  }
}

io::Task<Status> Leader::try_once() {
  io::Loop& loop = client_->loop();
  const Monotonic begin = loop.now();
  auto read = co_await leases_.read(options_.lease);
  if (!read && read.error().code() == Code::kNotFound) {
    auto created = co_await leases_.create({.key = options_.lease,
                                            .holder = options_.identity,
                                            .duration = options_.duration,
                                            .acquired = loop.wall(),
                                            .renewed = loop.wall()});
    if (!created) co_return fail(std::move(created.error()));
    observe(std::move(*created));
    lead_until(begin + options_.renew_deadline);
    co_return Status{};
  }
  if (!read) co_return fail(std::move(read.error()));
  observe(std::move(*read));
  const bool mine = seen_.holder == options_.identity;
  if (!mine) stop_leading();  // somebody took it over
  const bool expired = loop.now() - seen_at_ >= seen_.duration;
  if (!mine && !seen_.holder.empty() && !expired) co_return Status{};
  kube::Lease wanted = seen_;
  if (!mine) {
    wanted.holder = options_.identity;
    wanted.acquired = loop.wall();
    ++wanted.transitions;
  }
  if (retired_) co_return Status{};
  wanted.duration = options_.duration;
  wanted.renewed = loop.wall();
  auto kept = co_await leases_.replace(std::move(wanted));
  if (!kept) co_return fail(std::move(kept.error()));
  observe(std::move(*kept));
  lead_until(begin + options_.renew_deadline);
  co_return Status{};
}

io::Task<void> Leader::release() {
  retired_ = true;
  if (!is_leader()) co_return;
  stop_leading();
  // A renewal of ours may still be under way: then the version is not the one we know.
  for (int attempt = 0; attempt < kReleaseAttempts; ++attempt) {
    auto held = co_await leases_.read(options_.lease);
    if (!held || held->holder != options_.identity) co_return;
    held->holder.clear();
    held->duration = std::chrono::seconds(1);
    held->renewed = client_->loop().wall();
    if (co_await leases_.replace(std::move(*held))) co_return;
  }
}

}  // namespace davit::runtime
