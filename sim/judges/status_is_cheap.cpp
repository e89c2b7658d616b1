// Heights, use and their time alone: at most one write per five minutes, which is twelve an hour.
// Everything else in a status moves only when something happened: far more writes than things that
// happen in an hour are a message with a number in it, or a condition that flutters by itself.
//
// Lenient: a jump of the wall clock (by which Davit spaces its writes, since they outlive it) may
// bring one forward; two are allowed for that. An answer that was lost may be written again.
#include <fmt/format.h>

#include <deque>
#include <map>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr Duration kWindow = std::chrono::hours(1);
constexpr std::size_t kVolatileWrites = 12 + 2;
constexpr std::size_t kUnexplainedWrites = 60;

class StatusIsCheap final : public Judge {
 public:
  std::string_view name() const override { return "StatusIsCheap"; }
  std::string_view rule() const override {
    return "Status is cheap: at most 12 writes an hour and node without a change of a condition.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!facts::is(event, "blocknodes")) return;
    if (!event.after) {
      written_.erase(event.key);
      return;
    }
    if (!change.by_davit || !event.before || change.cause->reply_lost) return;
    Written& written = written_[event.key];
    if (change.only_volatile) {
      count(world, change, written.only_volatile, kVolatileWrites, "heights, use or their time");
    } else if (facts::same_conditions(*event.before, *event.after) && same_generation(event)) {
      count(world, change, written.unexplained, kUnexplainedWrites, "no condition");
    }
  }

 private:
  using Times = std::deque<Monotonic>;
  struct Written {
    Times only_volatile, unexplained;
  };

  static bool same_generation(const StoredEvent& event) {
    constexpr std::string_view kSeen = "status.observedGeneration";
    return wire::find_int(*event.before, kSeen) == wire::find_int(*event.after, kSeen);
  }

  void count(World& world, const ChangeSeen& change, Times& times, std::size_t limit,
             std::string_view what) {
    const Monotonic now = world.loop.now();
    times.push_back(now);
    while (now - times.front() > kWindow) times.pop_front();
    if (times.size() <= limit) return;
    object(world,
           fmt::format("the status of {} was written {} times within {} min, with {} changed",
                       change.event->key.to_string(), times.size(),
                       (now - times.front()) / std::chrono::minutes(1), what));
    times.clear();
  }

  std::map<ObjectKey, Written> written_;
};

}  // namespace

std::unique_ptr<Judge> status_is_cheap() { return std::make_unique<StatusIsCheap>(); }

}  // namespace davit::sim
