// Who may write is decided when the request is sent: one that travels while the lease changes hands
// was right when it left (a Lease does not fence; destructive acts carry preconditions). Lenient
// for the renew deadline and a little after a machine was suspended: its clock stood, and it cannot
// know.
#include <fmt/format.h>

#include <deque>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr std::size_t kRemembered = 64;
constexpr Duration kUnaware = std::chrono::seconds(15);

class OneLeaderWrites final : public Judge {
 public:
  std::string_view name() const override { return "OneLeaderWrites"; }
  std::string_view rule() const override {
    return "One leader, warm standbys: with several Davits only the holder of the Lease writes.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!facts::is(event, "leases") || event.key.ns != "davit-system") return;
    std::string holder;
    if (event.after) holder = wire::find_string(*event.after, "spec.holderIdentity");
    if (!holders_.empty() && holders_.back().holder == holder) return;
    holders_.push_back({world.loop.now(), std::move(holder)});
    if (holders_.size() > kRemembered) holders_.pop_front();
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (world.options().replicas < 2 || !info.is_write || !World::is_davit(info.user)) return;
    if (info.resource == "leases.coordination.k8s.io") return;
    if (const auto woken = world.woken(facts::replica_of(info.user));
        woken && info.at >= *woken && info.at - *woken < kUnaware) {
      return;
    }
    const std::string_view holder = holder_at(info.at);
    if (holder.starts_with(info.user + "_")) return;
    object(world, fmt::format("{} was sent while {} held the Lease", facts::name_of(info),
                              holder.empty() ? "nobody" : holder));
  }

 private:
  struct Holder {
    Monotonic since;
    std::string holder;
  };
  [[nodiscard]] std::string_view holder_at(Monotonic when) const {
    for (auto held = holders_.rbegin(); held != holders_.rend(); ++held) {
      if (held->since <= when) return held->holder;
    }
    return {};
  }

  std::deque<Holder> holders_;
};

}  // namespace

std::unique_ptr<Judge> one_leader_writes() { return std::make_unique<OneLeaderWrites>(); }

}  // namespace davit::sim
