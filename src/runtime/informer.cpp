#include "runtime/informer.hpp"

#include <algorithm>
#include <utility>

#include "base/mutant.hpp"
#include "kube/request.hpp"
#include "kube/watch_event.hpp"

namespace davit::runtime {

namespace {

constexpr Duration kShortestBackOff = std::chrono::seconds(1);
constexpr Duration kLongestBackOff = std::chrono::seconds(60);
constexpr Duration kGateLimit = std::chrono::seconds(30);
constexpr Duration kForbiddenBackOff = std::chrono::seconds(30);
// Asked of the server: how long a watch lasts; the random part keeps many watches from ending
// together.
constexpr int kWatchSeconds = 300;
constexpr std::uint64_t kWatchJitterSeconds = 300;
// The server sends a bookmark about every minute; a stream that is silent for longer may be dead.
constexpr Duration kSilenceLimit = std::chrono::seconds(150);
// A watch that ends sooner than this is treated as a failure, so that none is opened in a hot loop.
constexpr Duration kShortestWatch = std::chrono::seconds(1);
constexpr int kBadEventsBeforeList = 2;
constexpr int kOlderListsBeforeBelief = 5;

bool is_earlier(const ResourceVersion& a, const ResourceVersion& b) {
  const auto order = compare_resource_versions(a, b);
  return order && *order < 0;
}

}  // namespace

Informer::Informer(kube::Client& client, Random& random, kube::Resource resource,
                   InformerOptions options)
    : client_(&client),
      random_(&random),
      resource_(resource),
      options_(std::move(options)),
      last_contact_(client.loop().now()),
      projection_(options_.projection),
      settled_signal_(client.loop()) {}

void Informer::on_change(std::function<void(const Change&)> handler) {
  handlers_.push_back(std::move(handler));
}

void Informer::notify(const Change& change) {
  for (const auto& handler : handlers_) handler(change);
}

io::Task<void> Informer::run() {
  Next next = Next::kList;
  for (;;) {
    Result<Next> done = next == Next::kList ? co_await list() : co_await watch();
    if (done) {
      next = *done;
      continue;
    }
    const bool gone = done.error().code() == Code::kGone;
    // The first 410 of a watch is ordinary life; more of them in a row wait.
    const bool at_once = gone && next == Next::kWatch && failures_ == 0;
    next = after_failure(done.error(), next);
    if (at_once) {
      failures_ = 1;
    } else {
      co_await back_off(std::move(done.error()));
    }
  }
}

Informer::Next Informer::after_failure(const Error& error, Next failed) {
  if (failed == Next::kList || error.code() == Code::kGone) return Next::kList;
  // An event that cannot be read will be no better from the same version on.
  if (error.code() == Code::kInvalid && ++bad_events_ >= kBadEventsBeforeList) return Next::kList;
  return Next::kWatch;
}

io::Task<void> Informer::back_off(Error error) {
  Duration delay = kForbiddenBackOff;
  if (error.code() != Code::kForbidden) {
    const Duration ceiling =
        std::min<Duration>(kLongestBackOff, kShortestBackOff * (1LL << std::min(failures_++, 6)));
    delay = kShortestBackOff / 4 + Duration(static_cast<Duration::rep>(
                                       static_cast<double>(ceiling.count()) * random_->unit()));
    if (error.retry_after()) delay = std::max<Duration>(delay, *error.retry_after());
  }
  error_ = std::move(error);
  settled_signal_.notify_all();
  co_await io::sleep_for(client_->loop(), delay);
}

io::Task<Result<kube::List>> Informer::read_all() {
  kube::List whole;
  kube::ListOptions options{.label_selector = options_.label_selector,
                            .field_selector = options_.field_selector};
  do {
    auto request = kube::list_request(resource_, options_.ns, options);
    if (!request) co_return fail(std::move(request.error()));
    auto body = co_await client_->raw("GET", std::move(request->target));
    if (!body) co_return fail(std::move(body.error()));
    auto page = kube::parse_list(*body, resource_, projection_, reader_);
    if (!page) co_return fail(std::move(page.error()));
    for (json::object& item : page->items) whole.items.push_back(std::move(item));
    whole.version = std::move(page->version);
    options.continue_token = page->continue_token;
  } while (!options.continue_token.empty());
  co_return whole;
}

// A server that was restored from a backup, or a replica that lags, may answer with the past.
bool Informer::goes_back(const ResourceVersion& version) {
  if (!is_earlier(version, store_.version()) || ++older_lists_ >= kOlderListsBeforeBelief) {
    older_lists_ = 0;
    return false;
  }
  return true;
}

io::Task<Result<Informer::Next>> Informer::list() {
  const std::uint64_t number = ++lists_begun_;
  auto listed = co_await read_all();
  if (!listed) co_return fail(std::move(listed.error()));
  last_contact_ = client_->loop().now();
  if (goes_back(listed->version)) {
    co_return fail(Code::kUnavailable, "the server's list of " + std::string(resource_.plural) +
                                           " is older than what it said before");
  }
  std::vector<Object> objects;
  objects.reserve(listed->items.size());
  std::vector<Change> changes;
  for (json::object& item : listed->items) {
    const auto object = std::make_shared<const json::object>(std::move(item));
    Object before = store_.get(kube::key_of(*object));
    if (!before || kube::version_of(*before) != kube::version_of(*object)) {
      changes.push_back({std::move(before), object});
    }
    objects.push_back(object);
  }
  for (Object& gone : store_.replace(std::move(objects), std::move(listed->version))) {
    changes.push_back({std::move(gone), nullptr});
  }
  error_.reset();
  bad_events_ = 0;
  ++lists_;
  last_list_ = number;
  synced_ = true;
  settled_signal_.notify_all();
  for (const Change& change : changes) notify(change);
  co_return Next::kWatch;
}

io::Task<Result<Informer::Next>> Informer::watch() {
  io::Loop& loop = client_->loop();
  const int seconds = kWatchSeconds + static_cast<int>(random_->below(kWatchJitterSeconds));
  auto stream = co_await client_->watch(resource_, options_.ns,
                                        {.label_selector = options_.label_selector,
                                         .field_selector = options_.field_selector,
                                         .version = store_.version(),
                                         .timeout_seconds = seconds});
  if (!stream) co_return fail(std::move(stream.error()));
  const Monotonic begin = loop.now();
  for (;;) {
    auto line = co_await (*stream)->next(io::Deadline::after(loop, kSilenceLimit));
    if (!line) co_return fail(std::move(line.error()));
    if (!*line) {
      last_contact_ = loop.now();
      if (loop.now() - begin < kShortestWatch) {
        co_return fail(Code::kUnavailable, "the server ended the watch at once");
      }
      failures_ = 0;
      co_return Next::kWatch;
    }
    if (Status taken = take(**line); !taken) co_return fail(std::move(taken.error()));
    last_contact_ = loop.now();
    error_.reset();
    failures_ = 0;
    bad_events_ = 0;
  }
}

void Informer::advance_to(ResourceVersion version) {
  if (!is_earlier(version, store_.version())) store_.set_version(std::move(version));
}

bool Informer::is_older_than_known(const json::object& object) const {
  const Object known = store_.get(kube::key_of(object));
  return known && is_earlier(kube::version_of(object), kube::version_of(*known));
}

void Informer::put(json::object object) {
  const auto after = std::make_shared<const json::object>(std::move(object));
  const Object before = store_.put(after);
  // The same event once more.
  if (before && kube::version_of(*before) == kube::version_of(*after)) return;
  notify({before, after});
}

void Informer::erase(json::object object) {
  if (mutant(kMissDelete)) return;
  const ObjectKey key = kube::key_of(object);
  const auto pending = pending_writes_.find(key);
  if (pending != pending_writes_.end() &&
      !compare_resource_versions(kube::version_of(object), pending->second.version)) {
    pending_writes_.erase(pending);  // no order to go by: the key's deletion counts
  }
  Object before = store_.erase(key);
  if (before) notify({std::move(before), nullptr});
}

Status Informer::take(std::string_view line) {
  auto event = kube::parse_watch_line(line, projection_, reader_);
  if (!event) return fail(std::move(event.error()));
  ResourceVersion version = kube::version_of(event->object);
  const bool stale = is_older_than_known(event->object);
  advance_to(std::move(version));
  if (stale) return {};
  switch (event->type) {
    case kube::WatchEvent::Type::kBookmark:
      break;
    case kube::WatchEvent::Type::kDeleted:
      erase(std::move(event->object));
      break;
    case kube::WatchEvent::Type::kAdded:
    case kube::WatchEvent::Type::kModified:
      put(std::move(event->object));
      break;
  }
  return {};
}

io::Task<Status> Informer::synced_signalled() {
  while (!synced_) co_await settled_signal_.wait();
  co_return Status{};
}

io::Task<Status> Informer::wait_synced(io::Deadline deadline) {
  if (deadline.at == io::Deadline::never().at) co_return co_await synced_signalled();
  const Status waited = co_await io::with_deadline(client_->loop(), deadline, synced_signalled());
  if (waited) co_return waited;
  co_return fail(Code::kDeadlineExceeded, std::string(resource_.plural) +
                                              " could not be listed in time" +
                                              (error_ ? ": " + error_->describe() : std::string()));
}

bool Informer::settled() const { return synced_ || (error_ && error_->code() == Code::kForbidden); }

io::Task<void> Informer::wait_settled() {
  while (!settled()) co_await settled_signal_.wait();
}

void Informer::wrote(const ObjectKey& key, const ResourceVersion& version) {
  const PendingWrite write{version, client_->loop().now() + kGateLimit, lists_begun_};
  if (seen(key, write)) return;
  const auto pending = pending_writes_.find(key);
  if (pending != pending_writes_.end() && is_earlier(version, pending->second.version)) return;
  pending_writes_[key] = write;
}

bool Informer::seen(const ObjectKey& key, const PendingWrite& write) const {
  if (last_list_ > write.lists_begun) return true;
  const auto order = compare_resource_versions(store_.version(), write.version);
  if (order && *order >= 0) return true;
  const Object object = store_.get(key);
  return object && (kube::version_of(*object) == write.version ||
                    is_earlier(write.version, kube::version_of(*object)));
}

bool Informer::fresh(const ObjectKey& key) const {
  const auto pending = pending_writes_.find(key);
  if (pending == pending_writes_.end() || mutant(kActStale)) return true;
  const bool timed_out = client_->loop().now() >= pending->second.expires;
  if (!timed_out && !seen(key, pending->second)) return false;
  if (timed_out && !seen(key, pending->second)) ++gate_timeouts_;
  pending_writes_.erase(pending);
  return true;
}

}  // namespace davit::runtime
