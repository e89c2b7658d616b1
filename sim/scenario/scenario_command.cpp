#include "sim/scenario/scenario_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "kube/file.hpp"
#include "sim/life/jobs.hpp"
#include "sim/scenario/scenario.hpp"

namespace davit::sim {

namespace {

struct Flags {
  std::vector<std::string> files;
  bool every_write = false;
  bool every_turn = false;
  std::uint64_t step = 1;
  unsigned jobs = 1;
};

// What runs of one file came to.
struct Count {
  std::size_t runs = 0;
  std::size_t bad = 0;
};

Scenario load(const std::string& path) {
  const Result<std::string> text = kube::read_file(path);
  if (!text) throw std::runtime_error(std::string(text.error().message()));
  Result<Scenario> scenario = scenario_from_yaml(*text);
  if (!scenario) {
    throw std::runtime_error(fmt::format("{}: {}", path, scenario.error().describe()));
  }
  return std::move(*scenario);
}

std::string described(const std::string& path, const Crash& crash) {
  if (crash.after_write > 0)
    return fmt::format("{}, crash after write {}", path, crash.after_write);
  if (crash.at_turn > 0) return fmt::format("{}, destroyed at turn {}", path, crash.at_turn);
  return path;
}

// One run of a file.
struct Ran {
  std::uint64_t writes = 0, turns = 0;
};

// Runs of one file, each in a process that may die.
class Runs {
 public:
  Runs(std::string path, unsigned jobs)
      : path_(std::move(path)), jobs_(jobs), scenario_(load(path_)) {}

  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const Count& count() const { return count_; }

  // What the last of them came to.
  Ran with(const std::vector<Crash>& crashes) {
    Ran last;
    const auto once = [&](std::size_t n) {
      const ScenarioOutcome outcome = run(scenario_, crashes[n]);
      return json::object{{"misses", outcome.good() ? "" : outcome.describe()},
                          {"writes", outcome.writes},
                          {"turns", outcome.turns}};
    };
    run_jobs(crashes.size(), once, {.jobs = jobs_, .time = {}}, [&](const Piece& piece) {
      const std::string misses = piece.death.empty()
                                     ? std::string(wire::find_string(piece.said, "misses"))
                                     : piece.death + "\n";
      ++count_.runs;
      last.writes = static_cast<std::uint64_t>(wire::find_int(piece.said, "writes").value_or(0));
      last.turns = static_cast<std::uint64_t>(wire::find_int(piece.said, "turns").value_or(0));
      if (misses.empty()) return true;
      ++count_.bad;
      fmt::print("{}:\n{}", described(path_, crashes[piece.index]), misses);
      std::fflush(stdout);
      return true;
    });
    return last;
  }

 private:
  std::string path_;
  unsigned jobs_;
  Scenario scenario_;
  Count count_;
};

Count live(const std::string& path, const Flags& flags) {
  Runs runs(path, flags.jobs);
  const Ran as_written = runs.with({Crash{}});
  std::vector<Crash> crashes;
  if (flags.every_write || runs.scenario().crashes) {
    for (unsigned write = 1; write <= as_written.writes; ++write) {
      crashes.push_back({.after_write = write, .at_turn = 0});
    }
  }
  if (flags.every_turn) {
    for (std::uint64_t turn = 1; turn <= as_written.turns; turn += flags.step) {
      crashes.push_back({.after_write = 0, .at_turn = turn});
    }
  }
  runs.with(crashes);
  return runs.count();
}

int all(const Flags& flags) {
  Count total;
  for (const std::string& path : flags.files) {
    const Count count = live(path, flags);
    fmt::print("{:<44} {:>6} {}, {} bad\n", path, count.runs, count.runs == 1 ? "run" : "runs",
               count.bad);
    std::fflush(stdout);
    total.runs += count.runs;
    total.bad += count.bad;
  }
  fmt::print("{} scenarios, {} runs, {} bad\n", flags.files.size(), total.runs, total.bad);
  return total.bad == 0 ? 0 : 1;
}

}  // namespace

void add_scenario_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "scenario",
      "runs scenario files (test/scenario): what is expected, and the judges (1: a miss)");
  command->add_option("files", flags->files, "scenarios (YAML)")->required();
  command->add_flag(
      "--crash-at-every-write", flags->every_write,
      "also with a crash after each of Davit's writes, in turn; files with `crashes: true` always "
      "are");
  command->add_flag("--destroy-at-every-turn", flags->every_turn,
                    "also with every Davit destroyed after each callback, in turn");
  command->add_option("--every", flags->step, "of these turns, each n-th only")
      ->check(CLI::PositiveNumber);
  command->add_option("--jobs", flags->jobs, "processes")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  command->callback([flags, &exit_code] { exit_code = all(*flags); });
}

}  // namespace davit::sim
