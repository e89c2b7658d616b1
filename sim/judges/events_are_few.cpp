// kube/events promises 25 new Events of an object at once, then one per five minutes, and that the
// same Event within ten minutes becomes a series. A restarted Davit does not remember: its bounds
// begin anew.
#include <fmt/format.h>

#include <map>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr std::size_t kBurst = 25;
constexpr Duration kRefill = std::chrono::minutes(5);
constexpr Duration kSame = std::chrono::minutes(10);

class EventsAreFew final : public Judge {
 public:
  std::string_view name() const override { return "EventsAreFew"; }
  std::string_view rule() const override {
    return "Rule 9: an Event on change, and never a flood of them.";
  }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    if (!change.by_davit || !facts::is(event, "events") || event.before || !event.after) return;
    const std::string& user = change.cause->user;
    const std::size_t life = world.starts(facts::replica_of(user));
    const std::string_view uid = wire::find_string(*event.after, "regarding.uid");
    Told& told = told_[fmt::format("{}/{}/{}", user, life, uid)];
    const Monotonic now = world.loop.now();
    if (told.count++ == 0) told.since = now;
    const auto refilled = static_cast<std::size_t>((now - told.since) / kRefill);
    if (told.count > kBurst + refilled + 1) {
      object(world, fmt::format("{} new Events about {} by {} within {} min", told.count,
                                wire::find_string(*event.after, "regarding.name"), user,
                                (now - told.since) / std::chrono::minutes(1)));
    }
    const auto said = std::string(wire::find_string(*event.after, "reason")) + ": " +
                      std::string(wire::find_string(*event.after, "note"));
    const auto [last, first_time] = told.last.try_emplace(said, now);
    if (!first_time) {
      if (now - last->second < kSame && !change.cause->reply_lost) {
        object(world, fmt::format("the same Event twice within {} s by {}: {}",
                                  (now - last->second) / std::chrono::seconds(1), user, said));
      }
      last->second = now;
    }
    // Davit does not know that this one was written, and may write it again.
    if (change.cause->reply_lost) told.last.erase(said);
  }

 private:
  struct Told {
    Monotonic since;
    std::size_t count = 0;
    std::map<std::string, Monotonic> last;
  };
  std::map<std::string, Told> told_;  // by process, its life and the object's UID
};

}  // namespace

std::unique_ptr<Judge> events_are_few() { return std::make_unique<EventsAreFew>(); }

}  // namespace davit::sim
