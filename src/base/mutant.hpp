// Mutants: deliberate bugs, one line each, that the simulator's judges must find.
//
//   if (informer.synced() || mutant(kActUnsynced)) …
//
// A judge that finds nothing in a mutated Davit is no judge. In every build but the preset
// `mutants` mutant() is constant false, so that the compiler leaves nothing of it: no branch, no
// symbol, no switch by which a product could be made to misbehave. In that preset `davit-sim
// --mutant=N` picks one. A new mutant: a line in the list, a place that asks, and a life that meets
// it.
#pragma once

#include <array>
#include <string_view>

namespace davit {

enum Mutant : int {
  kNoMutant = 0,
  kActUnsynced,      // acts on a cache that has not been listed
  kActStale,         // acts on a cache that is older than our own last write
  kForgetUid,        // takes the child of an earlier owner of the same name for ours
  kAdoptByLabel,     // takes whatever carries our labels for ours
  kStatusEveryPass,  // writes status whether or not it says anything new
  kMissDelete,       // keeps in the cache what was deleted
  kForgetIntent,     // deletes the pod before what the next one shall be is written and seen
  kShrinkClaim,      // asks for less than a claim has
  kEdgeTriggered,    // acts only on a spec it has not seen before
  kSkipApply,        // compares the hash alone, and so misses drift
};

struct MutantName {
  Mutant mutant;
  std::string_view name;
};
inline constexpr std::array kMutants{
    MutantName{kActUnsynced, "act on an unsynced cache"},
    MutantName{kActStale, "act on a stale cache"},
    MutantName{kForgetUid, "forget the UID check"},
    MutantName{kAdoptByLabel, "adopt by label"},
    MutantName{kStatusEveryPass, "status every pass"},
    MutantName{kMissDelete, "missed delete"},
    MutantName{kForgetIntent, "intent not recorded"},
    MutantName{kShrinkClaim, "shrink of a claim"},
    MutantName{kEdgeTriggered, "edge-triggered decision"},
    MutantName{kSkipApply, "apply skipped wrongly"},
};

#ifdef DAVIT_MUTANTS
// Set once, before anything runs.
inline Mutant chosen_mutant = kNoMutant;
inline bool mutant(Mutant which) { return chosen_mutant == which; }
#else
consteval bool mutant(Mutant /*which*/) { return false; }
#endif

}  // namespace davit
