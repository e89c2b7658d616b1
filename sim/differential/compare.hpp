// Differences between what two servers answered to one script, and the list of those we know.
//
// test/conformance/differences.yaml: entries {script, resource, verb, at, sim, real, why}; all but
// `why` are globs (missing: anything). `at` is a path in the answer ("/body/spec/clusterIP",
// "/code", "/events/*/object/..."), list positions written as "*". Pure.
#pragma once

#include <string>
#include <vector>

#include "sim/differential/player.hpp"

namespace davit::sim::differential {

struct Difference {
  std::string script, verb, resource, at;
  std::string simulator, real;  // the two values, as JSON; "nothing" where there is none
  std::size_t step = 0;
};

// Of the steps in order, up to and including the first whose codes differ: what comes after it
// follows from it. `quiet` steps are not compared.
[[nodiscard]] std::vector<Difference> compare(const Script& script, const Kinds& kinds,
                                              const std::vector<json::object>& simulator,
                                              const std::vector<json::object>& real);

class KnownDifferences {
 public:
  [[nodiscard]] static Result<KnownDifferences> load(const std::string& file);
  // The reason of the entry that covers it, which is marked as seen; nullptr: none does.
  const std::string* covers(const Difference& difference);
  // Entries that covered nothing.
  [[nodiscard]] std::vector<std::string> stale() const;
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::string script, resource, verb, at, simulator, real, why;
    std::size_t seen = 0;
  };
  std::vector<Entry> entries_;
};

// "*" stands for any run of characters.
[[nodiscard]] bool glob_matches(std::string_view glob, std::string_view text);

}  // namespace davit::sim::differential
