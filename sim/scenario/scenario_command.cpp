#include "sim/scenario/scenario_command.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iterator>

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
  std::ifstream in(path);
  if (!in) throw std::runtime_error(fmt::format("cannot read {}", path));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Result<Scenario> scenario = scenario_from_yaml(text);
  if (!scenario) {
    throw std::runtime_error(fmt::format("{}: {}", path, scenario.error().describe()));
  }
  return std::move(*scenario);
}

ScenarioOutcome judged(const std::string& name, const Scenario& scenario, const Crash& crash,
                       Count& count) {
  ScenarioOutcome outcome = run(scenario, crash);
  ++count.runs;
  if (outcome.good()) return outcome;
  ++count.bad;
  if (crash.after_write > 0) fmt::print("{}, crash after write {}:\n", name, crash.after_write);
  if (crash.at_turn > 0) fmt::print("{}, destroyed at turn {}:\n", name, crash.at_turn);
  if (crash.after_write == 0 && crash.at_turn == 0) fmt::print("{}:\n", name);
  fmt::print("{}", outcome.describe());
  std::fflush(stdout);
  return outcome;
}

// Job `job` of flags.jobs takes each flags.jobs-th crash; the first also the scenario as written.
Count live(const std::string& name, const Scenario& scenario, const Flags& flags, unsigned job) {
  Count plain;
  const ScenarioOutcome as_written = judged(name, scenario, {}, plain);
  Count count = job == 0 ? plain : Count{};
  if (flags.every_write || scenario.crashes) {
    for (std::size_t write = 1 + job; write <= as_written.writes; write += flags.jobs) {
      judged(name, scenario, {.after_write = static_cast<unsigned>(write), .at_turn = 0}, count);
    }
  }
  if (flags.every_turn) {
    const std::uint64_t stride = flags.step * flags.jobs;
    for (std::uint64_t turn = 1 + (job * flags.step); turn <= as_written.turns; turn += stride) {
      judged(name, scenario, {.after_write = 0, .at_turn = turn}, count);
    }
  }
  return count;
}

// One file in `jobs` processes: 0 runs at the end of a job mean that it died.
Count in_jobs(const std::string& path, const Flags& flags) {
  const Scenario scenario = load(path);
  if (flags.jobs == 1) return live(path, scenario, flags, 0);
  std::fflush(stdout);
  std::vector<std::pair<pid_t, int>> jobs;
  for (unsigned job = 0; job < flags.jobs; ++job) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw std::runtime_error("no pipe for a job");
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("no process for a job");
    if (child == 0) {
      const Count count = live(path, scenario, flags, job);
      std::fflush(stdout);
      const bool told = write(ends[1], &count, sizeof count) == sizeof count;
      _exit(told ? 0 : 1);
    }
    close(ends[1]);
    jobs.emplace_back(child, ends[0]);
  }
  Count total;
  for (const auto& [child, end] : jobs) {
    Count count;
    const bool told = read(end, &count, sizeof count) == sizeof count;
    close(end);
    int status = 0;
    waitpid(child, &status, 0);
    if (!told || status != 0) {
      fmt::print("{}: a job died (status {})\n", path, status);
      count = {.runs = 1, .bad = 1};
    }
    total.runs += count.runs;
    total.bad += count.bad;
  }
  return total;
}

int all(const Flags& flags) {
  Count total;
  for (const std::string& path : flags.files) {
    const Count count = in_jobs(path, flags);
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
