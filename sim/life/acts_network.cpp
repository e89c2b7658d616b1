// What goes wrong between Davit and the API server, and with time.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "sim/life/acts.hpp"

namespace davit::sim {

namespace {

constexpr Duration kUsual = std::chrono::seconds(20);

Status fault(World& world, const Step& step) {
  With with(step);
  const std::string kind = with.text("kind", "error");
  NetworkRule rule;
  rule.verb = with.text("verb");
  rule.resource = with.text("resource");
  rule.every = static_cast<unsigned>(with.number("every", 1, 1));
  rule.chance = with.share("chance", 1);
  rule.limit = static_cast<unsigned>(with.number("limit", 0));
  rule.status = static_cast<unsigned>(with.number("status", 503, 400));
  rule.retry_after = static_cast<int>(with.number("retryAfter", 0));
  rule.by = with.duration("by", std::chrono::seconds(2));
  rule.until = world.loop.now() + with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  const auto known = trouble_from(kind);
  if (!known) {
    const std::vector<std::string_view> names = trouble_names();
    const std::string near = nearest(kind, names);
    return fail(Code::kInvalid,
                fmt::format("with.kind of \"fault\" is \"{}\"; it must be one of {}{}", kind,
                            fmt::join(names, ", "),
                            near.empty() ? "" : fmt::format(" (did you mean \"{}\"?)", near)));
  }
  rule.kind = *known;
  world.network.add(std::move(rule));
  return {};
}

Status watch(World& world, const Step& step) {
  With with(step);
  const std::string what = with.choice("what", {"cut", "end", "freeze", "stall", "compact"});
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  WatchHub& watches = world.server.watches();
  if (what == "cut") watches.cut_all();
  if (what == "end") watches.end_all();
  if (what == "stall") watches.stall_open();
  if (what == "compact") {
    world.server.store().compact();
    watches.cut_all();
  }
  if (what == "freeze") {
    watches.freeze(true);
    world.later(time, [&world] { world.server.watches().freeze(false); });
  }
  return {};
}

Status server_down(World& world, const Step& step) {
  With with(step);
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  world.server.set_down(true);
  world.later(time, [&world] { world.server.set_down(false); });
  return {};
}

Status token_expired(World& world, const Step& step) {
  With with(step);
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  world.network.add({.kind = Trouble::kError, .until = world.loop.now() + time, .status = 401});
  return {};
}

Status wall(World& world, const Step& step) {
  With with(step);
  const Duration by = with.duration("by", std::chrono::hours(1));
  if (Status wrong = with.done(); !wrong) return wrong;
  world.loop.jump_wall(std::chrono::duration_cast<std::chrono::microseconds>(by));
  return {};
}

constexpr std::array kActs{
    Act{"fault",
        "Davit's requests go wrong (kind, verb, resource, every, chance, limit, status, "
        "retryAfter, "
        "by, for).",
        "network", fault},
    Act{"watch", "Watches break (what: cut, end, freeze, stall, compact; for, of freeze).",
        "network", watch},
    Act{"server-down", "The API server is down (for).", "network", server_down},
    Act{"token-expired", "Davit's token is not accepted (for).", "network", token_expired},
    Act{"wall", "The wall clock jumps, the monotonic one does not (by; may be negative).",
        "network", wall},
};

}  // namespace

std::span<const Act> network_acts() { return kActs; }

}  // namespace davit::sim
