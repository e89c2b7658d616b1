#include "kube/events.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "kube/event_object.hpp"

namespace davit::kube {

namespace {

constexpr Duration kSameEvent = std::chrono::minutes(10);
constexpr Duration kSeriesWrite = std::chrono::minutes(5);
constexpr double kBurst = 25;
constexpr double kRefillSeconds = 300;
constexpr std::size_t kMaxRemembered = 4096;
constexpr std::size_t kMaxInFlight = 64;

// Parts that may hold any byte are joined by their length, so that no two events share an identity.
std::string identity_of(const std::string& object, EventType type, const std::string& reason,
                        const std::string& note) {
  return fmt::format("{}:{}{}:{}{}{}", object.size(), object, reason.size(), reason,
                     type == EventType::kWarning ? 'W' : 'N', note);
}

std::string object_identity(const json::object& object) {
  const Uid uid = uid_of(object);
  if (!uid.empty()) return uid.value;
  return std::string(wire::find_string(object, "kind")) + "/" + key_of(object).to_string();
}

}  // namespace

EventRecorder::EventRecorder(Client& client, Random& random, EventOptions options)
    : client_(&client), random_(&random), options_(std::move(options)), scope_(client.loop()) {}

void EventRecorder::record(const json::object& object, EventType type, std::string reason,
                           std::string action, std::string note) {
  const Monotonic now = client_->loop().now();
  const WallTime wall = client_->loop().wall();
  const std::string source = object_identity(object);
  std::string identity = identity_of(source, type, reason, note);
  forget_old();
  if (const auto found = series_.find(identity); found != series_.end()) {
    Series& series = found->second;
    ++series.count;
    series.last_seen = now;
    if (now - series.last_write < kSeriesWrite || scope_.running() >= kMaxInFlight) {
      ++counts_.suppressed;
      return;
    }
    series.last_write = now;
    scope_.spawn(
        send_series(series.event, make_series_patch(series.count, wall), std::move(identity)));
    return;
  }
  if (scope_.running() >= kMaxInFlight || !take_token(source)) {
    ++counts_.suppressed;
    return;
  }
  json::object event =
      make_event(object, {type, std::move(reason), std::move(action), std::move(note)}, options_,
                 fmt::format("{:016x}", random_->next()), wall);
  series_[identity] = {key_of(event), 1, now, now};
  scope_.spawn(send_new(std::move(event), std::move(identity)));
}

bool EventRecorder::take_token(const std::string& object) {
  const Monotonic now = client_->loop().now();
  Bucket& bucket = buckets_.try_emplace(object, Bucket{kBurst, now}).first->second;
  const std::chrono::duration<double> passed = now - bucket.filled;
  bucket.tokens = std::min(kBurst, bucket.tokens + passed.count() / kRefillSeconds);
  bucket.filled = now;
  if (bucket.tokens < 1) return false;
  bucket.tokens -= 1;
  return true;
}

void EventRecorder::forget_old() {
  const Monotonic now = client_->loop().now();
  std::erase_if(series_,
                [now](const auto& entry) { return now - entry.second.last_seen >= kSameEvent; });
  if (series_.size() >= kMaxRemembered) {
    series_.erase(std::ranges::min_element(
        series_, {}, [](const auto& entry) { return entry.second.last_seen.since_epoch; }));
  }
  if (buckets_.size() < kMaxRemembered) return;
  // Full ones say nothing; if that is not enough, who was quiet longest is forgiven first.
  std::erase_if(buckets_, [now](const auto& entry) {
    const std::chrono::duration<double> passed = now - entry.second.filled;
    return entry.second.tokens + passed.count() / kRefillSeconds >= kBurst;
  });
  if (buckets_.size() >= kMaxRemembered) {
    buckets_.erase(std::ranges::min_element(
        buckets_, {}, [](const auto& entry) { return entry.second.filled.since_epoch; }));
  }
}

io::Task<void> EventRecorder::send_new(json::object event, std::string identity) {
  auto answer = co_await client_->create(kEvents, std::move(event), options_.manager);
  if (answer) {
    ++counts_.sent;
  } else {
    failed(answer.error(), identity);
  }
}

io::Task<void> EventRecorder::send_series(ObjectKey event, json::object patch,
                                          std::string identity) {
  auto answer = co_await client_->patch(kEvents, std::move(event), PatchType::kMerge,
                                        std::move(patch), options_.manager);
  if (answer) {
    ++counts_.sent;
  } else {
    failed(answer.error(), identity);
  }
}

void EventRecorder::failed(const Error& error, const std::string& identity) {
  ++counts_.failed;
  series_.erase(identity);  // the next occurrence is a new event
  if (on_failure_) on_failure_(error);
}

}  // namespace davit::kube
