// What happens to Davit's own processes and rights.
#include <array>

#include "sim/life/acts.hpp"

namespace davit::sim {

namespace {

constexpr Duration kUsual = std::chrono::seconds(20);

Status crash(World& world, const Step& step) {
  With with(step);
  const Result<unsigned> replica = replica_of(world, with);
  const auto after_write = with.number("after_write", 0);
  const Duration down = with.duration("down", std::chrono::seconds(2));
  if (!replica) return fail(replica.error());
  if (Status wrong = with.done(); !wrong) return wrong;
  if (after_write > 0) {
    world.crash_after_write(*replica, static_cast<unsigned>(after_write), down);
  } else {
    world.crash_soon(*replica, down);
  }
  return {};
}

Status start(World& world, const Step& step) {
  With with(step);
  const Result<unsigned> replica = replica_of(world, with);
  if (!replica) return fail(replica.error());
  if (Status wrong = with.done(); !wrong) return wrong;
  world.start(*replica);
  return {};
}

Status stop(World& world, const Step& step) {
  With with(step);
  const Result<unsigned> replica = replica_of(world, with);
  if (!replica) return fail(replica.error());
  if (Status wrong = with.done(); !wrong) return wrong;
  world.stop(*replica);
  return {};
}

Status pause(World& world, const Step& step) {
  With with(step);
  const Result<unsigned> replica = replica_of(world, with);
  const Duration time = with.duration("for", kUsual);
  const std::string clock = with.choice("clock", {"goes", "stands"});
  if (!replica) return fail(replica.error());
  if (Status wrong = with.done(); !wrong) return wrong;
  world.pause(*replica, time, clock == "stands");
  return {};
}

Status lose_lease(World& world, const Step& step) {
  With with(step);
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  world.network.add({.kind = Trouble::kFailBefore,
                     .verb = {},
                     .resource = "leases",
                     .until = world.loop.now() + time});
  return {};
}

Status forbid(World& world, const Step& step) {
  const Step named{step.at, step.act, step.object + "/any", {}};
  const Result<Target> target = target_of(world, named);
  if (!target) return fail(target.error());
  With with(step);
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  // Types live as long as the registry, and with them what the Resource points to.
  const ResourceType& type = *target->type;
  world.forbid({type.group, type.version, type.kind, type.plural, type.namespaced});
  world.later(time, [&world] { world.allow_all(); });
  return {};
}

constexpr std::array kActs{
    Act{"crash",
        "A Davit is killed, now or after its n-th write from now, whose reply it never sees, and "
        "starts again (replica, after_write, down).",
        "davit", crash},
    Act{"start", "A Davit starts, if it does not run (replica).", "davit", start},
    Act{"stop", "A Davit is killed and stays away (replica).", "davit", stop},
    Act{"pause",
        "A Davit stands still; its monotonic clock goes on, or stands too (replica, for, clock).",
        "davit", pause},
    Act{"lose-lease", "Requests for leases fail: the leader loses its office in mid-work (for).",
        "davit", lose_lease},
    Act{"forbid", "Davit's rights on a kind are taken away (object: the plural; for).", "davit",
        forbid},
};

}  // namespace

std::span<const Act> davit_acts() { return kActs; }

}  // namespace davit::sim
