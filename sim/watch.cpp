#include "sim/watch.hpp"

#include <algorithm>
#include <charconv>

namespace davit::sim {

namespace {

std::string line_of(std::string_view type, const json::value& object) {
  json::object event{{"type", type}, {"object", object}};
  return json::serialize(event) + "\n";
}

constexpr Duration kLongestWatch = std::chrono::minutes(30);

}  // namespace

class WatchHub::Stream final : public io::BodyStream {
 public:
  Stream(WatchHub& hub, WatchQuery query, Version at)
      : hub_(&hub), query_(std::move(query)), at_(at) {
    const Monotonic now = hub.loop_->now();
    const Duration limit = query_.timeout_seconds > 0
                               ? Duration(std::chrono::seconds(query_.timeout_seconds))
                               : kLongestWatch;
    ends_at_ = now + limit;
    next_bookmark_ = now + hub.behaviour.bookmark_interval;
    place_ = hub.streams_.insert(hub.streams_.end(), this);
  }
  ~Stream() override { hub_->streams_.erase(place_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  io::Task<Result<std::string>> read(io::Deadline deadline) override {
    io::Loop& loop = *hub_->loop_;
    for (;;) {
      if (cut_) co_return fail(Code::kUnavailable, "the connection was reset");
      if (!is_silent()) collect();
      if (!buffer_.empty()) co_return take();
      if (ended_) co_return std::string();
      if (loop.now() >= deadline.at) {
        co_return fail(Code::kDeadlineExceeded, "no byte of the watch in time");
      }
      io::OneShot<bool> woken(loop);
      waiting_ = &woken;
      const Guard guard{
          this, &loop,
          loop.call_at(std::min(deadline.at, next_event_of_time()), [&woken] { woken.set(true); })};
      co_await woken;
    }
  }

  void send_initial(bool say_end) {
    for (const auto& [key, object] : hub_->store_->all(*query_.type)) {
      if (selects(key, object)) buffer_ += line_of("ADDED", *object);
    }
    if (say_end) {
      json::object annotations{{"k8s.io/initial-events-end", "true"}};
      buffer_ += bookmark(std::move(annotations));
    }
  }
  void cut() {
    cut_ = true;
    wake();
  }
  void end() {
    ended_ = true;
    wake();
  }
  void stall() { stalled_ = true; }
  void wake() {
    if (waiting_) waiting_->set(true);
  }

 private:
  struct Guard {
    Stream* stream;
    io::Loop* loop;
    io::CallbackId timer;
    ~Guard() {
      stream->waiting_ = nullptr;
      loop->cancel(timer);
    }
  };

  [[nodiscard]] bool is_silent() const { return stalled_ || hub_->frozen_; }

  [[nodiscard]] Monotonic next_event_of_time() const {
    if (is_silent()) return {Duration::max()};
    return query_.bookmarks ? std::min(ends_at_, next_bookmark_) : ends_at_;
  }

  [[nodiscard]] bool selects(const ObjectKey& key, const Object& object) const {
    return object && (query_.ns.empty() || key.ns == query_.ns) &&
           (query_.name.empty() || key.name == query_.name) && query_.labels.matches(*object) &&
           query_.fields.matches(*object);
  }

  std::string bookmark(json::object annotations) const {
    json::object metadata{{"resourceVersion", std::to_string(at_)}};
    if (!annotations.empty()) metadata["annotations"] = std::move(annotations);
    return line_of("BOOKMARK", json::object{{"kind", query_.type->kind},
                                            {"apiVersion", query_.type->api_version()},
                                            {"metadata", std::move(metadata)}});
  }

  void collect() {
    const ObjectStore& store = *hub_->store_;
    if (ended_) return;
    if (at_ < store.oldest()) {
      const ApiError error = gone("too old resource version: " + std::to_string(at_) + " (" +
                                  std::to_string(store.oldest()) + ")")
                                 .error();
      buffer_ += line_of("ERROR", error.status());
      ended_ = true;
      return;
    }
    const auto& history = store.history();
    auto event = std::ranges::upper_bound(history, at_, {}, &StoredEvent::version);
    for (; event != history.end(); ++event) {
      at_ = event->version;
      if (event->type == query_.type) describe(*event);
    }
    const Monotonic now = hub_->loop_->now();
    if (query_.bookmarks && now >= next_bookmark_) {
      at_ = std::max(at_, store.version());
      buffer_ += bookmark({});
      next_bookmark_ = now + hub_->behaviour.bookmark_interval;
    }
    if (now >= ends_at_) ended_ = true;
  }

  void describe(const StoredEvent& event) {
    const bool was = selects(event.key, event.before);
    const bool is = selects(event.key, event.after);
    if (is) {
      buffer_ += line_of(was ? "MODIFIED" : "ADDED", *event.after);
    } else if (was) {
      json::object last = event.after ? *event.after : *event.before;
      wire::ensure_object(last, "metadata")["resourceVersion"] = std::to_string(event.version);
      buffer_ += line_of("DELETED", last);
    }
  }

  std::string take() {
    const std::size_t size = hub_->behaviour.piece_size;
    if (size == 0 || buffer_.size() <= size) return std::exchange(buffer_, {});
    std::string piece = buffer_.substr(0, size);
    buffer_.erase(0, size);
    return piece;
  }

  WatchHub* hub_;
  WatchQuery query_;
  Version at_;
  Monotonic ends_at_, next_bookmark_;
  std::string buffer_;
  bool ended_ = false;
  bool cut_ = false;
  bool stalled_ = false;
  io::OneShot<bool>* waiting_ = nullptr;
  std::list<Stream*>::iterator place_;
};

WatchHub::WatchHub(io::Loop& loop, ObjectStore& store) : loop_(&loop), store_(&store) {
  store.on_event([this](const StoredEvent&) { wake(); });
}

Answer<std::unique_ptr<io::BodyStream>> WatchHub::open(WatchQuery query) {
  const bool from_now = query.version.empty() || query.version == "0";
  Version at = store_->version();
  if (!from_now) {
    const auto [end, error] =
        std::from_chars(query.version.data(), query.version.data() + query.version.size(), at);
    if (error != std::errc() || end != query.version.data() + query.version.size()) {
      return unreadable_version(query.version);
    }
    if (behaviour.gone_as_status && at < store_->oldest()) {
      return gone("too old resource version: " + query.version + " (" +
                  std::to_string(store_->oldest()) + ")");
    }
    if (query.initial_events) at = store_->version();
  }
  const bool initial = from_now || query.initial_events;
  const bool say_end = query.initial_events;
  auto stream = std::make_unique<Stream>(*this, std::move(query), at);
  if (initial) stream->send_initial(say_end);
  return stream;
}

void WatchHub::cut_all() {
  for (Stream* stream : streams_) stream->cut();
}

void WatchHub::end_all() {
  for (Stream* stream : streams_) stream->end();
}

void WatchHub::freeze(bool frozen) {
  frozen_ = frozen;
  wake();
}

void WatchHub::stall_open() {
  for (Stream* stream : streams_) stream->stall();
}

void WatchHub::wake() {
  if (frozen_) return;
  for (Stream* stream : streams_) stream->wake();
}

}  // namespace davit::sim
