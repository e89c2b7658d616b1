// What goes wrong, or on, in the Block Nodes themselves.
#include <array>

#include "sim/life/acts.hpp"

namespace davit::sim {

namespace {

constexpr Duration kUsual = std::chrono::seconds(30);

struct Named {
  std::string node;
  Duration time;
};

// Calls `off` when the time is over.
void for_a_time(World& world, const Named& named, std::function<void()> off) {
  world.tampered.insert(named.node);
  world.later(named.time, std::move(off));
}

Status publish(World& world, const Step& step) {
  const Result<std::string> node = node_of(world, step);
  if (!node) return fail(node.error());
  With with(step);
  const auto rate = with.number("rate", 2);
  const Duration period = with.duration("every", std::chrono::seconds(1));
  if (Status wrong = with.done(); !wrong) return wrong;
  world.fleet.publish(*node, static_cast<unsigned>(rate), period);
  return {};
}

Status server(World& world, const Step& step) {
  const Result<std::string> node = node_of(world, step);
  if (!node) return fail(node.error());
  With with(step);
  const std::string what =
      with.choice("fault", {"crash", "crash-on-start", "fatal", "hang-in-scan", "slow-scan",
                            "unhealthy", "stall-ingest", "full-disk", "slow-metrics"});
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  standin::Faults faults;
  if (what == "crash") faults.crash = true;
  if (what == "crash-on-start") faults.crash_on_start = true;
  if (what == "fatal") faults.fatal = true;
  if (what == "hang-in-scan") faults.hang_in_scan = true;
  if (what == "slow-scan") faults.slow_scan_seconds = 20;
  if (what == "unhealthy") faults.unhealthy = true;
  if (what == "stall-ingest") faults.stall_ingest = true;
  if (what == "full-disk") faults.full_disk_bytes = 1;
  if (what == "slow-metrics") faults.slow_metrics_millis = 2000;
  world.fleet.set_faults(*node, faults);
  for_a_time(world, {*node, time}, [&world, node = *node] { world.fleet.set_faults(node, {}); });
  return {};
}

Status lie(World& world, const Step& step) {
  const Result<std::string> node = node_of(world, step);
  if (!node) return fail(node.error());
  With with(step);
  const std::string what =
      with.choice("what", {"healthy-while-dead", "empty-status", "old-version", "garbage", "slow"});
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  using Lie = Fleet::Lie;
  const Lie lie = what == "healthy-while-dead" ? Lie::kHealthyWhileDead
                  : what == "empty-status"     ? Lie::kEmptyStatus
                  : what == "old-version"      ? Lie::kOldVersion
                  : what == "garbage"          ? Lie::kGarbage
                                               : Lie::kSlow;
  world.fleet.set_lie(*node, lie);
  for_a_time(world, {*node, time},
             [&world, node = *node] { world.fleet.set_lie(node, Lie::kNone); });
  return {};
}

Status disk(World& world, const Step& step) {
  const Result<std::string> node = node_of(world, step);
  if (!node) return fail(node.error());
  With with(step);
  const std::string role =
      with.choice("role", {"live", "historic", "application-state", "logs", "plugins"});
  const std::string what = with.choice("what", {"full", "read-only", "emptied"});
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  if (what == "emptied") {
    world.fleet.empty_disk(*node, role);
    return {};
  }
  const bool full = what == "full";
  const auto set = [&world, node = *node, role, full](bool on) {
    full ? world.fleet.fill_disk(node, role, on) : world.fleet.set_read_only(node, role, on);
  };
  set(true);
  for_a_time(world, {*node, time}, [set] { set(false); });
  return {};
}

Status unreachable(World& world, const Step& step) {
  const Result<std::string> node = node_of(world, step);
  if (!node) return fail(node.error());
  With with(step);
  const Duration time = with.duration("for", kUsual);
  if (Status wrong = with.done(); !wrong) return wrong;
  world.fleet.set_unreachable(*node, true);
  for_a_time(world, {*node, time},
             [&world, node = *node] { world.fleet.set_unreachable(node, false); });
  return {};
}

constexpr std::array kActs{
    Act{"publish",
        "A publisher sends blocks to a node; rate 0: it goes away (rate, each `every`: 1s).",
        "operand", publish},
    Act{"server",
        "The server misbehaves (fault: crash, crash-on-start, fatal, hang-in-scan, slow-scan, "
        "unhealthy, stall-ingest, full-disk, slow-metrics; for).",
        "operand", server},
    Act{"lie",
        "The server says what is not so (what: healthy-while-dead, empty-status, old-version, "
        "garbage, slow; for).",
        "operand", lie},
    Act{"disk", "A volume's disk fails (role; what: full, read-only, emptied; for).", "operand",
        disk},
    Act{"unreachable", "Davit cannot reach a node's pod, the kubelet can (for).", "operand",
        unreachable},
};

}  // namespace

std::span<const Act> operand_acts() { return kActs; }

}  // namespace davit::sim
