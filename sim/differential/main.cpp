// sim-differential: the simulator against a real API server. test/conformance/run calls it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "io/block_on.hpp"
#include "kube/connect.hpp"
#include "kube/file.hpp"
#include "sim/differential/random_script.hpp"
#include "sim/differential/report.hpp"
#include "sim/differential/rule_scripts.hpp"
#include "sim/differential/session.hpp"

namespace davit::sim::differential {
namespace {

struct Options {
  std::string kubeconfig;
  std::string folder = "test/conformance";
  std::string conformance = "sim/conformance.yaml";
  std::string crds = "deploy/crds";
  std::string only, report_file, table_file, then;
  std::string prefix = "d";
  bool write_table = false;
  std::size_t random = 0, fresh = 0, rules = 0, parallel = 8;
  std::uint64_t seed = 1, fresh_seed = 0;
  bool stale = true, verbose = false;
};

int explain(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.describe());
  return 2;
}

Result<std::vector<json::object>> load_crds(const std::string& folder) {
  std::vector<json::object> crds;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    auto loaded = load_yaml(entry.path().string());
    if (!loaded || !loaded->is_object()) continue;
    if (wire::find_string(loaded->as_object(), "kind") == "CustomResourceDefinition") {
      crds.push_back(std::move(loaded->as_object()));
    }
  }
  if (crds.empty()) return fail(Code::kNotFound, "no CRD in " + folder);
  return crds;
}

class Run {
 public:
  Run(io::AsioLoop& loop, const Options& options, Session& session, KnownDifferences& known)
      : loop_(&loop), options_(&options), session_(&session), known_(&known) {}

  bool wanted(const Script& script) const {
    return options_->only.empty() || glob_matches(options_->only, script.name);
  }

  void play(std::string_view what, std::vector<Script> scripts, std::size_t parallel) {
    std::erase_if(scripts, [this](const Script& script) { return !wanted(script); });
    if (scripts.empty()) return;
    const Monotonic begin = loop_->now();
    std::vector<Outcome> outcomes =
        io::block_on(*loop_, session_->run(std::move(scripts), parallel));
    std::size_t requests = 0;
    std::size_t equal = 0;
    for (Outcome& outcome : outcomes) {
      requests += outcome.real.size();
      equal += outcome.differences.empty() ? 1 : 0;
      outcomes_.push_back(std::move(outcome));
    }
    const double took = std::chrono::duration<double>(loop_->now() - begin).count();
    fmt::print("{}: {} scripts, {} steps, {} of them equal throughout, {:.1f} s\n", what,
               outcomes.size(), requests, equal, took);
  }

  bool unknown(const Difference& difference) { return known_->covers(difference) == nullptr; }

  int finish(const Conformance& conformance) {
    const auto counts = [this](const Difference& difference) { return unknown(difference); };
    std::set<std::string> shrunk;
    for (Outcome& outcome : outcomes_) {
      if (!outcome.script.name.starts_with("random ")) continue;
      const auto found = std::ranges::find_if(outcome.differences, counts);
      if (found == outcome.differences.end() || shrunk.size() >= 25) continue;
      if (!shrunk.insert(found->verb + found->resource + found->at).second) continue;
      Outcome shorter = io::block_on(*loop_, session_->shrink(outcome, counts));
      if (std::ranges::any_of(shorter.differences, counts)) outcome = std::move(shorter);
    }
    const std::vector<Group> groups = group(outcomes_, counts);
    std::size_t vain = 0;
    for (const Outcome& outcome : outcomes_) {
      if (!outcome.vain) continue;
      ++vain;
      fmt::print("WRONG: script \"{}\" waits for what neither side does\n", outcome.script.name);
    }
    std::size_t differing = 0;
    for (const Outcome& outcome : outcomes_) {
      differing += std::ranges::any_of(outcome.differences, counts) ? 1 : 0;
    }
    const std::string text = report(groups, outcomes_);
    if (!options_->report_file.empty()) std::ofstream(options_->report_file) << text;
    if (!groups.empty()) fmt::print("{}", text.substr(0, 6000));
    const std::vector<std::string> stale =
        options_->stale && options_->only.empty() ? known_->stale() : std::vector<std::string>();
    for (const std::string& entry : stale) fmt::print("STALE: no longer observed: {}\n", entry);
    const bool table_is_old = check_table(conformance);
    fmt::print("{} scripts: {} with unlisted differences ({} kinds of them), {} listed, {} stale\n",
               outcomes_.size(), differing, groups.size(), known_->size(), stale.size());
    return groups.empty() && stale.empty() && vain == 0 && !table_is_old ? 0 : 1;
  }

 private:
  // Writes the table, or says that it is not as it should be.
  bool check_table(const Conformance& conformance) {
    if (options_->table_file.empty()) return false;
    std::vector<Outcome> fixed;
    for (const Outcome& outcome : outcomes_) {
      if (!outcome.script.row.empty()) fixed.push_back(outcome);
    }
    const std::string text =
        table(conformance, fixed, [this](const Difference& d) { return known_->covers(d); });
    if (options_->write_table) {
      std::ofstream(options_->table_file) << text;
      return false;
    }
    auto old = kube::read_file(options_->table_file);
    if (old && *old == text) return false;
    fmt::print("{} is not what this run found; test/conformance/run --write writes it\n",
               options_->table_file);
    return true;
  }

  io::AsioLoop* loop_;
  const Options* options_;
  Session* session_;
  KnownDifferences* known_;
  std::vector<Outcome> outcomes_;
};

int run(const Options& options) {
  auto kinds = load_kinds(options.folder + "/kinds.yaml");
  if (!kinds) return explain(kinds.error());
  auto conformance = load_conformance(options.conformance);
  if (!conformance) return explain(conformance.error());
  auto scripts = load_scripts(options.folder + "/scripts", *kinds, *conformance);
  if (!scripts) return explain(scripts.error());
  auto known = KnownDifferences::load(options.folder + "/differences.yaml");
  if (!known) return explain(known.error());
  auto crds = load_crds(options.crds);
  if (!crds) return explain(crds.error());
  kube::ConfigOptions where;
  where.kubeconfig = options.kubeconfig;
  auto config = kube::load_config(kube::process_environment(), where);
  if (!config) return explain(config.error());

  io::AsioLoop loop;
  auto transport = kube::connect(loop, std::move(*config), "sim-differential");
  Session session(loop, *transport, *kinds, *crds, options.prefix);
  if (auto ready = io::block_on(loop, session.prepare()); !ready) return explain(ready.error());
  Run run(loop, options, session, *known);

  std::vector<Script> plain;
  std::vector<Script> with_controllers;
  for (Script& script : *scripts) {
    (script.controllers ? with_controllers : plain).push_back(std::move(script));
  }
  run.play("scripts", std::move(plain), options.parallel);
  std::vector<Script> random;
  for (std::size_t i = 0; i < options.random; ++i) {
    random.push_back(random_script(*kinds, options.seed + i));
  }
  for (std::size_t i = 0; i < options.fresh; ++i) {
    random.push_back(random_script(*kinds, options.fresh_seed + i));
  }
  run.play("random", std::move(random), options.parallel);
  if (const auto kind = kinds->find("blocknodes"); options.rules > 0 && kind != kinds->end()) {
    run.play("rules", rule_scripts(kind->second, crds->front(), options.rules, options.seed),
             options.parallel);
  }
  if (!options.then.empty()) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): one thread.
    if (std::system(options.then.c_str()) != 0) {
      return explain(Error(Code::kInternal, "failed: " + options.then));
    }
    run.play("controllers", std::move(with_controllers), options.parallel);
  }
  return run.finish(*conformance);
}

}  // namespace
}  // namespace davit::sim::differential

int main(int argc, char** argv) {
  davit::sim::differential::Options options;
  CLI::App app("Compares the simulated API server with a real one", "sim-differential");
  app.add_option("--kubeconfig", options.kubeconfig, "of the real API server")->required();
  app.add_option("--folder", options.folder, "kinds.yaml, scripts/, differences.yaml");
  app.add_option("--conformance", options.conformance, "the table of what must work");
  app.add_option("--crds", options.crds, "folder of CRDs");
  app.add_option("--only", options.only, "scripts whose name this glob matches");
  app.add_option("--random", options.random, "random scripts of fixed seeds");
  app.add_option("--seed", options.seed, "the first of them");
  app.add_option("--fresh", options.fresh, "random scripts of other seeds");
  app.add_option("--fresh-seed", options.fresh_seed, "the first of those");
  app.add_option("--rules", options.rules, "generated objects for each rule of a CRD");
  app.add_option("--parallel", options.parallel, "scripts at a time");
  app.add_option("--prefix", options.prefix, "of the namespaces on the real server");
  app.add_option("--report", options.report_file, "where the differences are written");
  app.add_option("--table", options.table_file, "the reference table, compared or written");
  app.add_flag("--write-table", options.write_table, "write it");
  app.add_option("--then", options.then, "command that starts the controllers");
  app.add_flag("!--no-stale", options.stale, "entries that are not observed are no failure");
  CLI11_PARSE(app, argc, argv);
  return davit::sim::differential::run(options);
}
