// Jobs: numbered pieces of work, dealt out to several processes, each told of as it is done.
//
//   run_jobs(count, [](std::size_t n) { return json::object{…}; }, {.jobs = 2},
//            [](const Piece& piece) { …; return true; });
//
// Each job is a child of fork(). One that dies is the end of the piece it was in; its other pieces
// go to a new job. POSIX only; call from one thread.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "wire/json.hpp"

namespace davit::sim {

struct Piece {
  std::size_t index = 0;
  json::object said;
  std::string death;  // "the process died of signal 11"; empty: it did not
};

struct JobsOptions {
  unsigned jobs = 1;
  std::optional<Duration> time;  // of the wall clock; begun pieces are finished
};

// `work(n)` for n from 0 to `count` - 1 is called in the jobs, `told` here; false from `told` ends
// all at once.
void run_jobs(std::size_t count, const std::function<json::object(std::size_t)>& work,
              const JobsOptions& options, const std::function<bool(const Piece&)>& told);

}  // namespace davit::sim
