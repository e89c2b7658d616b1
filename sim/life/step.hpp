// Step: one thing that happens in a life: an act (of a user, of fate, of the network) at a time.
// Schedule: a life as a value: printable, readable again, shrinkable; files in sim/regressions and
// the steps of test/scenario are written in it.
//
//   - {at: 40s, do: edit, object: blocknodes/bn1, with: {spec: {storage: {live: {size: 6Gi}}}}}
//   - {at: 41s, do: crash, with: {after_write: 1}}
//   - {at: 60s, do: fault, with: {kind: lose-reply, verb: patch, every: 3, for: 20s}}
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "wire/json.hpp"

namespace davit::sim {

class World;

struct Step {
  Duration at{0};      // since the beginning
  std::string act;     // a name from acts()
  std::string object;  // "blocknodes/bn1"; namespace "hiero" unless "ns/plural/name"; may be empty
  json::object with;   // what the act needs
  friend bool operator==(const Step&, const Step&) = default;
};

struct Schedule {
  std::uint64_t seed = 1;  // of ties, names and uids
  unsigned replicas = 1;
  Duration length{0};       // after which faults stop and the end is judged
  std::vector<Step> steps;  // by time
};

// One kind of step. `run` fails (kInvalid) on a step it cannot read, before anything happened.
struct Act {
  std::string_view name;   // "edit"
  std::string_view help;   // one sentence
  std::string_view group;  // "user", "cluster", "operand", "network", "davit"
  Status (*run)(World& world, const Step& step);
};
[[nodiscard]] std::span<const Act> acts();
// Carries a step out now; kInvalid names the act or member that is wrong, and the nearest right
// one.
[[nodiscard]] Status perform(World& world, const Step& step);

[[nodiscard]] std::string to_yaml(const Schedule& schedule);
[[nodiscard]] Result<Schedule> schedule_from_yaml(std::string_view text);
[[nodiscard]] Result<Step> step_from(const json::object& object);

}  // namespace davit::sim
