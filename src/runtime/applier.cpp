#include "runtime/applier.hpp"

#include <fmt/format.h>

#include "runtime/same_meaning.hpp"

namespace davit::runtime {

namespace {

constexpr std::size_t kPatience = 5;
constexpr Duration kContestWindow = std::chrono::minutes(10);

std::string_view hash_of(const json::object& live) {
  const json::object* annotations = wire::find_object(live, "metadata.annotations");
  const json::value* hash =
      annotations == nullptr ? nullptr : annotations->if_contains(kAppliedHashAnnotation);
  if (hash == nullptr || !hash->is_string()) return {};
  return hash->get_string();
}

}  // namespace

std::string applied_hash(const json::object& object) {
  // FNV-1a, 64 bits: tells versions of one object apart; not for secrets.
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : wire::canonical(object)) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  return fmt::format("{:016x}", hash);
}

bool Applier::is_contested(const std::string& field) {
  std::deque<Monotonic>& times = corrections_[field];
  const Monotonic now = client_->loop().now();
  while (!times.empty() && now - times.front() > kContestWindow) times.pop_front();
  if (times.size() >= kPatience) return true;
  times.push_back(now);
  return false;
}

io::Task<Result<Applied>> Applier::apply(Informer& informer, json::object object) {
  const ObjectKey key = kube::key_of(object);
  const std::string hash = applied_hash(object);
  const Object live = informer.store().get(key);
  if (live && hash_of(*live) == hash) {
    const std::string difference = first_difference(informer.resource().kind, object, *live);
    if (difference.empty()) {
      co_return Applied::kSkipped;
    }
    const std::string field =
        fmt::format("{} {}: {}", informer.resource().qualified(), key.to_string(), difference);
    if (is_contested(field)) {
      co_return fail(Error(Code::kConflict,
                           fmt::format("somebody keeps changing {} of {} {}. Find the other writer "
                                       "(kubectl get --show-managed-fields) and stop it; Davit "
                                       "tries again in ten minutes",
                                       difference, informer.resource().kind, key.to_string()))
                         .with_reason("FieldContested")
                         .with_retry_after(std::chrono::minutes(10)));
    }
  }
  wire::ensure_object(object, "metadata.annotations")[kAppliedHashAnnotation] = hash;
  auto applied = co_await client_->apply(informer.resource(), std::move(object),
                                         {.manager = manager_, .force = true});
  if (!applied) co_return fail(std::move(applied.error()));
  informer.wrote(key, kube::version_of(*applied));
  co_return Applied::kWritten;
}

}  // namespace davit::runtime
