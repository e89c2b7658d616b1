// A write that changed nothing is accused where Davit knew better:
//   - the same process had written exactly this and been told so, and nobody touched the object
//   since
//     (read your own writes), or
//   - the object had not changed at all for ten minutes: no cache is that old for a good reason.
// An answer that was lost, and a process that has just begun, are reasons to write again.
#include <fmt/format.h>

#include <functional>
#include <unordered_map>

#include "sim/judges/facts.hpp"
#include "sim/judges/judges.hpp"

namespace davit::sim {

namespace {

constexpr Duration kLongUntouched = std::chrono::minutes(10);

class NoOpPassWritesNothing final : public Judge {
 public:
  std::string_view name() const override { return "NoOpPassWritesNothing"; }
  std::string_view rule() const override { return "Rule 5: a pass without news writes nothing."; }

  void saw(World& world, const ChangeSeen& change) override {
    const StoredEvent& event = *change.event;
    const bool hollow = change.by_davit && event.before && event.after &&
                        facts::only_bookkeeping(*event.before, *event.after);
    if (hollow) return;
    Known& known = known_[key_of(event.type->qualified(), event.key)];
    known.changed_at = world.loop.now();
    known.changed_by = change.by_davit ? change.cause->number : 0;
    if (!change.by_davit) known.body = 0;
  }

  void saw(World& world, const RequestSeen& request) override {
    const RequestInfo& info = *request.info;
    if (!info.is_write || !World::is_davit(info.user) || info.key.name.empty()) return;
    if (info.verb == "delete") return;
    Known& known = known_[key_of(std::string(facts::base_resource(info)), info.key)];
    const std::size_t body = std::hash<std::string_view>{}(request.request->body);
    const std::size_t life = world.starts(facts::replica_of(info.user));
    const bool own = known.body == body && known.user == info.user && known.life == life;
    if (facts::failed(request) || info.reply_lost) {
      known.unsure_at = world.loop.now();
      known.body = 0;
      return;
    }
    if (known.changed_by != info.number) {
      const Monotonic now = world.loop.now();
      const bool untouched = now - known.changed_at > kLongUntouched &&
                             (!known.unsure_at || now - *known.unsure_at > kLongUntouched);
      if (own || (untouched && known.body != 0)) {
        object(world, fmt::format("{} changed nothing{}", facts::name_of(info),
                                  own ? ": it had written the same before" : ""));
      }
    }
    known.body = body;
    known.user = info.user;
    known.life = life;
  }

 private:
  struct Known {
    Monotonic changed_at;
    std::uint64_t changed_by = 0;  // the request; 0: not Davit
    std::optional<Monotonic> unsure_at;
    // What Davit last wrote and knows to have written; 0: somebody changed the object since.
    std::size_t body = 0;
    std::string user;
    std::size_t life = 0;
  };
  static std::string key_of(std::string resource, const ObjectKey& key) {
    resource += ' ';
    resource += key.ns;
    resource += '/';
    resource += key.name;
    return resource;
  }

  std::unordered_map<std::string, Known> known_;
};

}  // namespace

std::unique_ptr<Judge> no_op_pass_writes_nothing() {
  return std::make_unique<NoOpPassWritesNothing>();
}

}  // namespace davit::sim
