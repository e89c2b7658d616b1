// Two bounds: how much one Davit may ask in ten seconds (its start, which lists every kind and
// makes every child of a node, is the busiest time), and how often the same request may fail in a
// minute (Davit's shortest back-off doubles from a quarter of a second; changes of the object may
// bring a retry forward).
#include <fmt/format.h>

#include <deque>
#include <map>
#include <unordered_map>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr Duration kBurstWindow = std::chrono::seconds(10);
constexpr std::size_t kBurstBase = 250;
constexpr std::size_t kBurstPerNode = 80;
constexpr Duration kFailureWindow = std::chrono::minutes(1);
constexpr std::size_t kFailures = 30;

class Window {
 public:
  std::size_t add(Monotonic now, Duration length) {
    times_.push_back(now);
    while (now - times_.front() > length) times_.pop_front();
    return times_.size();
  }
  void clear() { times_.clear(); }

 private:
  std::deque<Monotonic> times_;
};

class NoHotLoop final : public Judge {
 public:
  std::string_view name() const override { return "NoHotLoop"; }
  std::string_view rule() const override {
    return "Rule 9: Davit never turns in a hot loop: requests are bounded, failures back off.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!facts::is(event, "blocknodes")) return;
    if (!event.before) ++nodes_;
    if (!event.after && nodes_ > 0) --nodes_;
    (void)world;
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (!World::is_davit(info.user)) return;
    const Monotonic now = world.loop.now();
    const std::size_t limit = kBurstBase + (kBurstPerNode * nodes_);
    Window& all = all_[info.user];
    if (all.add(now, kBurstWindow) > limit) {
      object(world,
             fmt::format("{} sent more than {} requests in {} s, the last: {}", info.user, limit,
                         kBurstWindow / std::chrono::seconds(1), facts::name_of(info)));
      all.clear();
    }
    if (request.response != nullptr && request.response->status < 400) return;
    // "Not found" and "already there" are answers, not failures.
    if (request.response != nullptr && !info.is_write && request.response->status == 404) return;
    Window& failures = failures_[info.user + " " + info.method + " " + info.target];
    if (failures.add(now, kFailureWindow) > kFailures) {
      object(world, fmt::format("{} failed more than {} times in a minute, the last time with {}",
                                facts::name_of(info), kFailures,
                                request.response ? request.response->status : 0));
      failures.clear();
    }
  }

 private:
  std::size_t nodes_ = 0;
  std::map<std::string, Window> all_;
  std::unordered_map<std::string, Window> failures_;
};

}  // namespace

std::unique_ptr<Judge> no_hot_loop() { return std::make_unique<NoHotLoop>(); }

}  // namespace davit::sim
