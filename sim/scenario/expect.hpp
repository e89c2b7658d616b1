// What a scenario can expect of a world, at one moment.
//
//   conditions: {bn1: {Ready: True/Serving, Stalled: "False/*"}}   status/reason; a star at the end
//   exists, absent: [plural/name, ns/plural/name]
//   fields: {statefulsets/bn1: {spec: {replicas: 1}}}   a part of the object; null: not there
//   writes, requests: {least: 1, most: 12}              by Davit, since the mark
//   events: [PodRestarted]  no_events: [...]            reasons, since the beginning
//   warnings: 0                                         Events of type Warning, since the beginning
//   same, replaced: [pods/bn1-0]                        its UID against that at the mark
//   blocks: {bn1: 10}                                   what the server holds, at least
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/life/world.hpp"

namespace davit::sim {

// What `mark` remembers.
struct Marked {
  std::map<std::string, Uid> uids;  // "hiero/pods/bn1-0"
  std::size_t writes = 0, requests = 0;
};

[[nodiscard]] Marked mark(World& world);

// kInvalid: a member or an object that does not exist.
[[nodiscard]] Status check_expectation(const json::object& what);
// One sentence for each thing that is not as expected. `only_end`: what a crash on the way may not
// change.
[[nodiscard]] std::vector<std::string> misses(World& world, const json::object& what,
                                              const Marked& marked, bool only_end);

}  // namespace davit::sim
