#include "runtime/applier.hpp"

#include <fmt/format.h>

#include "base/mutant.hpp"
#include "runtime/same_meaning.hpp"

namespace davit::runtime {

namespace {

constexpr std::size_t kPatience = 5;
constexpr Duration kContestWindow = std::chrono::minutes(10);
constexpr std::size_t kManyCorrections = 1000;

std::string_view hash_of(const json::object& live) {
  const json::object* annotations = wire::find_object(live, "metadata.annotations");
  const json::value* hash =
      annotations == nullptr ? nullptr : annotations->if_contains(kAppliedHashAnnotation);
  if (hash == nullptr || !hash->is_string()) return {};
  return hash->get_string();
}

Status check_ours(std::string_view kind, const json::object& wanted, const json::object& live) {
  const Uid holder = kube::controller_of(live);
  const Uid owner = kube::controller_of(wanted);
  if (!holder.empty() && (holder == owner || mutant(kForgetUid))) return {};
  if (mutant(kAdoptByLabel) && wire::find_object(live, "metadata.labels")) return {};
  // A child is orphaned (the owner lets go) or taken back: then one of the two has no controller.
  if ((holder.empty() || owner.empty()) && !hash_of(live).empty()) return {};
  return fail(
      Error(Code::kAlreadyExists,
            fmt::format("{} {} exists and is not Davit's: {}. Rename or remove it", kind,
                        kube::key_of(live).to_string(),
                        holder.empty() ? std::string("nothing says that Davit made it")
                                       : "another object (UID " + holder.value + ") controls it"))
          .with_reason("NotOurs"));
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

void Applier::forget_old_corrections() {
  const Monotonic now = client_->loop().now();
  std::erase_if(corrections_, [&](const auto& entry) {
    return entry.second.empty() || now - entry.second.back() > kContestWindow;
  });
}

Status Applier::correct(std::string_view kind, const std::string& name, const std::string& field) {
  if (corrections_.size() > kManyCorrections) forget_old_corrections();
  std::deque<Monotonic>& times = corrections_[name + " " + field];
  const Monotonic now = client_->loop().now();
  while (!times.empty() && now - times.front() > kContestWindow) times.pop_front();
  if (times.size() < kPatience) {
    times.push_back(now);
    return {};
  }
  return fail(Error(Code::kConflict,
                    fmt::format("somebody keeps changing {} of {} {}. Find the other writer "
                                "(kubectl get --show-managed-fields) and stop it; Davit tries "
                                "again in ten minutes",
                                field, kind, name))
                  .with_reason("FieldContested")
                  .with_retry_after(std::chrono::minutes(10)));
}

io::Task<Result<Object>> Applier::current(Informer& informer, ObjectKey key) {
  Object cached = informer.store().get(key);
  if (cached && informer.fresh(key)) co_return cached;
  auto read = co_await client_->get(informer.resource(), key);
  if (read) co_return std::make_shared<const json::object>(std::move(*read));
  if (read.error().code() == Code::kNotFound) co_return Object();
  co_return fail(std::move(read.error()));
}

io::Task<Result<Applied>> Applier::apply(Informer& informer, json::object object) {
  std::string name = informer.resource().qualified() + " " + kube::key_of(object).to_string();
  while (busy_.contains(name)) co_await ended_.wait();
  // Also when the pass is ended in the middle.
  struct Turn {
    Turn(Applier& a, std::string n) : applier(a), name(std::move(n)) { applier.busy_.insert(name); }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() {
      applier.busy_.erase(name);
      applier.ended_.notify_all();
    }
    Applier& applier;
    std::string name;
  };
  const Turn turn(*this, name);
  co_return co_await apply_alone(informer, std::move(object), std::move(name));
}

io::Task<Result<Applied>> Applier::apply_alone(Informer& informer, json::object object,
                                               std::string name) {
  const ObjectKey key = kube::key_of(object);
  const std::string_view kind = informer.resource().kind;
  const std::string hash = applied_hash(object);
  auto live = co_await current(informer, key);
  if (!live) co_return fail(std::move(live.error()));
  const Object known = *live;
  if (known) {
    if (Status ours = check_ours(kind, object, *known); !ours) co_return fail(ours.error());
    const bool same_hash = hash_of(*known) == hash;
    const std::string difference = first_difference(kind, object, *known);
    if (same_hash && (difference.empty() || mutant(kSkipApply))) co_return Applied::kSkipped;
    // We wrote exactly this before, and somebody changed it.
    const auto last = last_hash_.find(name);
    if (same_hash || (last != last_hash_.end() && last->second == hash)) {
      const std::string field =
          difference.empty() ? fmt::format("metadata.annotations[{}]", kAppliedHashAnnotation)
                             : difference;
      if (Status again = correct(kind, key.to_string(), field); !again) {
        co_return fail(again.error());
      }
    }
    wire::ensure_object(object, "metadata")["uid"] = kube::uid_of(*known).value;
  }
  wire::ensure_object(object, "metadata.annotations")[kAppliedHashAnnotation] = hash;
  auto applied = co_await client_->apply(informer.resource(), std::move(object),
                                         {.manager = manager_, .force = known != nullptr});
  if (!applied) co_return fail(std::move(applied.error()));
  last_hash_[name] = hash;
  informer.wrote(key, kube::version_of(*applied));
  co_return Applied::kWritten;
}

}  // namespace davit::runtime
