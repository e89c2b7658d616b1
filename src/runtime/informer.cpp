#include "runtime/informer.hpp"

#include <algorithm>
#include <utility>

#include "kube/request.hpp"
#include "kube/watch_event.hpp"

namespace davit::runtime {

namespace {

constexpr Duration kShortestBackOff = std::chrono::seconds(1);
constexpr Duration kLongestBackOff = std::chrono::seconds(60);
constexpr Duration kForbiddenBackOff = std::chrono::seconds(30);
constexpr Duration kGateLimit = std::chrono::seconds(30);
// The server ends a watch after at most timeout_seconds; one that stays silent longer is dead.
constexpr Duration kSilenceLimit = std::chrono::seconds(320);

}  // namespace

Informer::Informer(kube::Client& client, Random& random, kube::Resource resource,
                   InformerOptions options)
    : client_(&client),
      random_(&random),
      resource_(resource),
      options_(std::move(options)),
      projection_(options_.projection),
      synced_signal_(client.loop()) {}

void Informer::on_change(std::function<void(const Change&)> handler) {
  handlers_.push_back(std::move(handler));
}

void Informer::notify(const Change& change) {
  for (const auto& handler : handlers_) handler(change);
}

io::Task<void> Informer::run() {
  Next next = Next::kList;
  for (;;) {
    Result<Next> after = next == Next::kList ? co_await list() : co_await watch();
    if (after) {
      next = *after;
      continue;
    }
    if (after.error().code() == Code::kGone) {
      next = Next::kList;
      continue;
    }
    co_await back_off(after.error());
  }
}

io::Task<void> Informer::back_off(const Error& error) {
  error_ = error;
  Duration delay = kForbiddenBackOff;
  if (error.code() != Code::kForbidden) {
    const Duration ceiling =
        std::min<Duration>(kLongestBackOff, kShortestBackOff * (1LL << std::min(failures_++, 6)));
    delay = kShortestBackOff / 4 + Duration(static_cast<Duration::rep>(
                                       static_cast<double>(ceiling.count()) * random_->unit()));
    if (error.retry_after()) delay = std::max<Duration>(delay, *error.retry_after());
  }
  co_await io::sleep_for(client_->loop(), delay);
}

io::Task<Result<Informer::Next>> Informer::list() {
  std::vector<Object> objects;
  ResourceVersion version;
  kube::ListOptions options{.label_selector = options_.label_selector,
                            .field_selector = options_.field_selector};
  do {
    auto request = kube::list_request(resource_, options_.ns, options);
    if (!request) co_return fail(std::move(request.error()));
    auto body = co_await client_->raw("GET", std::move(request->target));
    if (!body) co_return fail(std::move(body.error()));
    auto page = kube::parse_list(*body, resource_, projection_, reader_);
    if (!page) co_return fail(std::move(page.error()));
    for (json::object& item : page->items) {
      objects.push_back(std::make_shared<const json::object>(std::move(item)));
    }
    version = page->version;
    options.continue_token = page->continue_token;
  } while (!options.continue_token.empty());

  std::vector<Change> changes;
  for (const Object& object : objects) {
    Object before = store_.get(kube::key_of(*object));
    if (!before || kube::version_of(*before) != kube::version_of(*object)) {
      changes.push_back({std::move(before), object});
    }
  }
  for (Object& gone : store_.replace(std::move(objects), std::move(version))) {
    changes.push_back({std::move(gone), nullptr});
  }
  last_contact_ = client_->loop().now();
  error_.reset();
  failures_ = 0;
  synced_ = true;
  synced_signal_.notify_all();
  for (const Change& change : changes) notify(change);
  co_return Next::kWatch;
}

io::Task<Result<Informer::Next>> Informer::watch() {
  io::Loop& loop = client_->loop();
  auto stream = co_await client_->watch(resource_, options_.ns,
                                        {.label_selector = options_.label_selector,
                                         .field_selector = options_.field_selector,
                                         .version = store_.version()});
  if (!stream) co_return fail(std::move(stream.error()));
  last_contact_ = loop.now();
  error_.reset();
  for (;;) {
    auto line = co_await (*stream)->next(io::Deadline::after(loop, kSilenceLimit));
    if (!line) co_return fail(std::move(line.error()));
    last_contact_ = loop.now();
    if (!*line) co_return Next::kWatch;
    failures_ = 0;
    if (Status taken = take(**line); !taken) co_return fail(std::move(taken.error()));
  }
}

Status Informer::take(std::string_view line) {
  auto event = kube::parse_watch_line(line, projection_, reader_);
  if (!event) return fail(std::move(event.error()));
  using Type = kube::WatchEvent::Type;
  ResourceVersion version = kube::version_of(event->object);
  if (event->type == Type::kBookmark) {
    store_.set_version(std::move(version));
    return {};
  }
  auto object = std::make_shared<const json::object>(std::move(event->object));
  Change change;
  if (event->type == Type::kDeleted) {
    change.before = store_.erase(kube::key_of(*object));
    if (!change.before) change.before = object;
  } else {
    change.before = store_.put(object);
    change.after = std::move(object);
  }
  store_.set_version(std::move(version));
  notify(change);
  return {};
}

io::Task<Status> Informer::wait_synced(io::Deadline deadline) {
  io::Loop& loop = client_->loop();
  while (!synced_) {
    if (loop.now() >= deadline.at) {
      co_return fail(Code::kDeadlineExceeded,
                     std::string(resource_.plural) + " could not be listed in time" +
                         (error_ ? ": " + error_->describe() : std::string()));
    }
    co_await io::sleep_until(
        loop, std::min(deadline.at, loop.now() + Duration(std::chrono::milliseconds(100))));
  }
  co_return Status{};
}

void Informer::wrote(const ObjectKey& key, const ResourceVersion& version) {
  if (seen(key, version)) return;
  pending_writes_[key] = {version, client_->loop().now() + kGateLimit};
}

bool Informer::seen(const ObjectKey& key, const ResourceVersion& version) const {
  if (const auto order = compare_resource_versions(store_.version(), version);
      order && *order >= 0) {
    return true;
  }
  const Object object = store_.get(key);
  if (!object) return false;
  const auto order = compare_resource_versions(kube::version_of(*object), version);
  return order ? *order >= 0 : kube::version_of(*object) == version;
}

bool Informer::fresh(const ObjectKey& key) const {
  const auto pending = pending_writes_.find(key);
  if (pending == pending_writes_.end()) return true;
  const bool timed_out = client_->loop().now() >= pending->second.expires;
  if (!timed_out && !seen(key, pending->second.version)) return false;
  if (timed_out) ++gate_timeouts_;
  pending_writes_.erase(pending);
  return true;
}

}  // namespace davit::runtime
