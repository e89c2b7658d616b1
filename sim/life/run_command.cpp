#include "sim/life/run_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <fstream>

#include "base/mutant.hpp"
#include "kube/file.hpp"
#include "sim/life/generator.hpp"
#include "sim/life/shrink.hpp"
#include "sim/life/summary.hpp"
#include "sim/life/trace.hpp"

namespace davit::sim {

namespace {

struct Flags {
  std::string seeds;
  std::string commit;
  std::size_t commit_count = 1000;
  std::optional<std::uint64_t> seed;
  std::vector<std::string> files;
  std::string crash_at_every_write, destroy_at_every_turn;
  std::uint64_t every = 1;
  unsigned jobs = 1;
  bool stop_at_first = false;
  double time = 0;
  bool replay = false, explain = false, shrink = false, print = false;
  std::string save;
  int mutant = 0;
};

struct Named {
  std::string name;
  Schedule schedule;
};

[[noreturn]] void refuse(const std::string& text) { throw std::runtime_error(text); }

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("\"{}\" is no seed; seeds are whole numbers, as in --seeds 1..1000", text));
  }
  return value;
}

std::pair<std::uint64_t, std::uint64_t> range(const std::string& text) {
  const std::size_t dots = text.find("..");
  if (dots == std::string::npos) return {number(text), number(text)};
  const std::uint64_t first = number(text.substr(0, dots));
  const std::uint64_t last = number(text.substr(dots + 2));
  if (last < first) refuse(fmt::format("--seeds {}: the last seed is before the first", text));
  return {first, last};
}

// Fresh seeds that anybody can find again: of the commit's own name.
std::uint64_t seed_of_commit(const std::string& commit, std::uint64_t n) {
  std::uint64_t state = 14695981039346656037ULL;
  for (const char c : commit) {
    state = (state ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  }
  SeededRandom random(state + n);
  return random.next() >> 16;
}

Schedule read_schedule(const std::string& path) {
  const Result<std::string> text = kube::read_file(path);
  if (!text) refuse(std::string(text.error().message()));
  Result<Schedule> schedule = schedule_from_yaml(*text);
  if (!schedule) refuse(fmt::format("{}: {}", path, schedule.error().describe()));
  return std::move(*schedule);
}

std::string kebab(std::string_view camel) {
  std::string out;
  for (const char c : camel) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !out.empty()) out += '-';
    out += upper ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return out;
}

void print_violations(const Outcome& outcome) {
  for (const Violation& v : outcome.violations) {
    fmt::print("VIOLATION of {} at {:.3f} s: {}\n", v.judge,
               std::chrono::duration<double>(v.at.since_epoch).count(), v.sentence);
  }
}

// The shortest schedule with the same first verdict; each try in a process of its own, as it may
// be a crash that is looked for.
Schedule shrunk(const Named& named, const RunOptions& options) {
  const auto judge_of = [&](const Schedule& schedule) {
    std::string judge;
    campaign(
        1, [&](std::size_t) { return Life{named.name, schedule, options}; }, {},
        [&](const LifeReport& report) { judge = verdict(report.outcome); });
    return judge;
  };
  const std::string judge = judge_of(named.schedule);
  if (judge.empty()) return named.schedule;
  ShrinkReport report =
      shrink(named.schedule, [&](const Schedule& s) { return judge_of(s) == judge; });
  fmt::print("{}: {} steps became {} in {} tries\n", named.name, named.schedule.steps.size(),
             report.schedule.steps.size(), report.tries);
  return std::move(report.schedule);
}

void save(const Flags& flags, const Named& named, const Outcome& outcome) {
  const Schedule small = shrunk(named, {});
  const std::string path =
      fmt::format("{}/{}-{}.yaml", flags.save, kebab(verdict(outcome)), small.seed);
  std::ofstream out(path);
  out << fmt::format("# {}: {}\n", verdict(outcome), outcome.violations.front().sentence)
      << to_yaml(small);
  out.close();
  if (!out) refuse(fmt::format("cannot write {}", path));
  fmt::print("saved {}\n", path);
}

int one(const Flags& flags, Named named) {
  if (flags.shrink) named.schedule = shrunk(named, {});
  if (flags.print || flags.shrink) fmt::print("{}", to_yaml(named.schedule));
  Trace trace;
  const bool traced = flags.replay || flags.explain;
  const Outcome outcome = run(named.schedule, {.trace = traced ? &trace : nullptr});
  if (flags.replay) fmt::print("{}", trace.lines());
  if (flags.explain) fmt::print("{}", trace.story());
  print_violations(outcome);
  fmt::print(
      "{}: {} virtual seconds, {} requests, {} writes, {} faults, {} crashes, digest {:016x}: "
      "{}\n",
      named.name, outcome.time / std::chrono::seconds(1), outcome.requests, outcome.writes,
      outcome.faults, outcome.crashes, outcome.digest,
      outcome.violations.empty() ? "no violation" : verdict(outcome));
  if (!flags.save.empty() && !outcome.violations.empty()) save(flags, named, outcome);
  return outcome.violations.empty() ? 0 : 1;
}

int many(const Flags& flags, std::size_t count, const std::function<Life(std::size_t)>& life_of) {
  constexpr std::size_t kToldAtMost = 20;
  Summary summary;
  std::vector<std::pair<std::size_t, Outcome>> failed;
  CampaignOptions options{.jobs = flags.jobs, .stop_at_first = flags.stop_at_first, .time = {}};
  if (flags.time > 0) {
    options.time = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(flags.time));
  }
  const CampaignResult result = campaign(count, life_of, options, [&](const LifeReport& report) {
    const Life life = life_of(report.index);
    summary.add(life.name, report);
    if (report.outcome.violations.empty() || failed.size() >= kToldAtMost) return;
    failed.emplace_back(report.index, report.outcome);
    fmt::print("{}: {}: {}\n", life.name, verdict(report.outcome),
               report.outcome.violations.front().sentence);
    std::fflush(stdout);
  });
  fmt::print("{}", summary.text(result));
  if (!flags.save.empty()) {
    std::set<std::string> saved;  // one of each kind
    for (const auto& [index, outcome] : failed) {
      const Life life = life_of(index);
      if (saved.insert(verdict(outcome)).second) {
        save(flags, {life.name, life.schedule}, outcome);
      }
    }
  }
  return summary.violations() == 0 ? 0 : 1;
}

int at_every(const Flags& flags) {
  const bool writes = !flags.crash_at_every_write.empty();
  const Schedule schedule =
      read_schedule(writes ? flags.crash_at_every_write : flags.destroy_at_every_turn);
  const Outcome plain = run(schedule);
  const std::uint64_t count = writes ? plain.life_writes : plain.turns;
  const std::uint64_t every = std::max<std::uint64_t>(1, flags.every);
  fmt::print("{} {}\n", count, writes ? "writes" : "turns");
  return many(flags, count / every, [&](std::size_t n) {
    const std::uint64_t at = n * every + 1;
    Life life{fmt::format("{} {}", writes ? "write" : "turn", at), schedule, {}};
    writes ? life.options.crash_at_write = static_cast<unsigned>(at)
           : life.options.crash_at_turn = at;
    return life;
  });
}

Life life_of_seed(std::uint64_t seed) { return {fmt::format("seed {}", seed), generate(seed), {}}; }

int dispatch(const Flags& flags) {
  if (!flags.crash_at_every_write.empty() || !flags.destroy_at_every_turn.empty()) {
    return at_every(flags);
  }
  if (flags.seed) return one(flags, {fmt::format("seed {}", *flags.seed), generate(*flags.seed)});
  if (flags.files.size() == 1) {
    return one(flags, {flags.files.front(), read_schedule(flags.files.front())});
  }
  if (!flags.files.empty()) {
    return many(flags, flags.files.size(), [&](std::size_t n) {
      return Life{flags.files[n], read_schedule(flags.files[n]), {}};
    });
  }
  if (!flags.commit.empty()) {
    return many(flags, flags.commit_count,
                [&](std::size_t n) { return life_of_seed(seed_of_commit(flags.commit, n)); });
  }
  const auto [from, last] = range(flags.seeds.empty() ? "1..100" : flags.seeds);
  if (flags.print) {
    for (std::uint64_t seed = from; seed <= last; ++seed) {
      fmt::print("---\n{}", to_yaml(generate(seed)));
    }
    return 0;
  }
  return many(flags, last - from + 1,
              [first = from](std::size_t n) { return life_of_seed(first + n); });
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "run", "lives whole clusters' lives from seeds or files, and judges them (1: a violation)");
  command->add_option("--seeds", flags->seeds, "FROM..TO; 1..100 if nothing else is asked for");
  command->add_option("--seed", flags->seed, "one life; see --replay, --explain, --shrink");
  command->add_option("--commit-seeds", flags->commit, "fresh seeds, derived from a commit's id");
  command->add_option("--count", flags->commit_count, "how many of them")->capture_default_str();
  command->add_option("files", flags->files, "schedules (YAML)");
  command->add_option("--crash-at-every-write", flags->crash_at_every_write,
                      "the schedule, with a crash after each single write in turn");
  command->add_option("--destroy-at-every-turn", flags->destroy_at_every_turn,
                      "the schedule, with every Davit destroyed after each callback in turn");
  command->add_option("--every", flags->every, "of these, each n-th only");
  command->add_option("--jobs", flags->jobs, "processes")->capture_default_str();
  command->add_flag("--stop-at-first", flags->stop_at_first, "end at the first violation");
  command->add_option("--time", flags->time, "seconds after which no new life begins");
  command->add_flag("--replay", flags->replay, "print requests, changes and plans");
  command->add_flag("--explain", flags->explain, "tell it in sentences");
  command->add_flag("--shrink", flags->shrink, "find the shortest schedule that fails alike");
  command->add_flag("--print", flags->print, "print the schedule; of --seeds the schedules alone");
  command->add_option("--save", flags->save, "folder for the shrunk schedules of violations");
#ifdef DAVIT_MUTANTS
  command->add_option("--mutant", flags->mutant, "a deliberate bug, by number");
#endif
  command->callback([flags, &exit_code] {
#ifdef DAVIT_MUTANTS
    chosen_mutant = static_cast<Mutant>(flags->mutant);
#endif
    exit_code = dispatch(*flags);
  });
}

void add_acts_command(CLI::App& app, int& /*exit_code*/) {
  CLI::App* command = app.add_subcommand("acts", "lists what a step of a schedule may do");
  command->callback([] {
    for (const Act& act : acts()) {
      fmt::print("{:<8} {:<17} {}\n", act.group, act.name, act.help);
    }
  });
}

}  // namespace davit::sim
