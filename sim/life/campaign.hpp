// Campaign: many lives in several processes, one world at a time in each, and what came of them.
//
//   CampaignResult result = campaign(lives, {.jobs = 2}, [](const LifeReport& r) { … });
//
// A job (jobs.hpp) that dies is a violation of the life it was in ("NoCrash"). POSIX only; call
// from one thread.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/life/runner.hpp"

namespace davit::sim {

// One life of a campaign: what to live, and under which name it is told.
struct Life {
  std::string name;  // "seed 7"
  Schedule schedule;
  RunOptions options;
};

struct LifeReport {
  std::size_t index = 0;
  Outcome outcome;
};

struct CampaignOptions {
  unsigned jobs = 1;
  bool stop_at_first = false;
  std::optional<Duration> time;  // of the wall clock; begun lives are finished
};

struct CampaignResult {
  std::size_t lives = 0;
  Duration wall{0};
};

// `life_of(n)` for n from 0 to `count` - 1 is called in the jobs.
CampaignResult campaign(std::size_t count, const std::function<Life(std::size_t)>& life_of,
                        const CampaignOptions& options,
                        const std::function<void(const LifeReport&)>& told);

}  // namespace davit::sim
