#include "sim/differential/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "wire/yaml.hpp"

namespace davit::sim::differential {

namespace {

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, most) + "…";
}

struct Result {
  std::size_t scripts = 0, equal = 0;
  std::set<std::string> reasons;
  bool unexplained = false;
};

}  // namespace

std::vector<Group> group(const std::vector<Outcome>& outcomes,
                         const std::function<bool(const Difference&)>& counts) {
  std::map<std::string, Group> groups;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    for (const Difference& difference : outcomes[i].differences) {
      if (!counts(difference)) continue;
      std::string key = difference.verb + " " + difference.resource + " " + difference.at;
      if (difference.at == "/code") {
        key += " " + difference.simulator.substr(0, 3) + " " + difference.real.substr(0, 3);
      }
      Group& entry = groups[key];
      if (entry.members.empty()) entry.outcome = i;
      // The shortest script shows it best.
      if (outcomes[i].script.steps.size() < outcomes[entry.outcome].script.steps.size()) {
        entry.outcome = i;
        entry.members.insert(entry.members.begin(), difference);
      } else {
        entry.members.push_back(difference);
      }
    }
  }
  std::vector<Group> sorted;
  for (auto& [key, entry] : groups) sorted.push_back(std::move(entry));
  std::ranges::sort(sorted, std::ranges::greater{},
                    [](const Group& entry) { return entry.members.size(); });
  return sorted;
}

std::string report(const std::vector<Group>& groups, const std::vector<Outcome>& outcomes) {
  std::string text;
  for (const Group& entry : groups) {
    const Difference& first = entry.members.front();
    const Outcome& outcome = outcomes[entry.outcome];
    text += fmt::format("== {} x  {} {}  {}\n", entry.members.size(), first.verb, first.resource,
                        first.at);
    text += fmt::format("  simulator: {}\n  real:      {}\n", shortened(first.simulator, 600),
                        shortened(first.real, 600));
    text += fmt::format("  script \"{}\", step {}:\n", outcome.script.name, first.step + 1);
    for (std::size_t i = 0; i <= first.step && i < outcome.script.steps.size(); ++i) {
      if (i + 12 < first.step) continue;
      text += "    - " + shortened(json::serialize(outcome.script.steps[i]), 700) + "\n";
    }
    const auto body = [&](std::string_view side, const std::vector<json::object>& notes) {
      if (first.step >= notes.size()) return;
      text += fmt::format("  {} answers: {}\n", side,
                          shortened(json::serialize(notes[first.step]), 1200));
    };
    body("simulator", outcome.simulator);
    body("real", outcome.real);
    text += "\n";
  }
  return text;
}

std::string table(const Conformance& conformance, const std::vector<Outcome>& outcomes,
                  const std::function<const std::string*(const Difference&)>& reason) {
  std::map<std::string, Result> results;  // "verb/feature kind"
  for (const Outcome& outcome : outcomes) {
    if (outcome.script.row.empty()) continue;
    Result& result = results[outcome.script.row + " " + outcome.script.kind];
    ++result.scripts;
    if (outcome.differences.empty()) ++result.equal;
    for (const Difference& difference : outcome.differences) {
      const std::string* why = reason(difference);
      if (why) {
        result.reasons.insert(*why);
      } else {
        result.unexplained = true;
      }
    }
  }
  std::string text =
      "# What the simulated cluster does, compared with a real API server\n\n"
      "Written by `test/conformance/run --write`; the rows are those of `sim/conformance.yaml`. "
      "Every\n"
      "required and served row is sent to the simulator and to the API server of the testbed, and "
      "the\n"
      "answers are compared field by field. The reasons are those of\n"
      "`test/conformance/differences.yaml`.\n\n"
      "| verb | feature | kinds | level | scripts | result |\n|---|---|---|---|---|---|\n";
  for (const Row& row : conformance.rows) {
    std::vector<std::string> tried;
    std::vector<std::string> missing;
    Result sum;
    std::vector<std::string> names = row.kinds;
    names.emplace_back();  // scripts that belong to the row and to no single kind
    for (const std::string& kind : names) {
      const auto found = results.find(row.name() + " " + kind);
      if (found == results.end()) {
        if (!kind.empty()) missing.push_back(kind);
        continue;
      }
      if (!kind.empty()) tried.push_back(kind);
      sum.scripts += found->second.scripts;
      sum.equal += found->second.equal;
      sum.reasons.insert(found->second.reasons.begin(), found->second.reasons.end());
      sum.unexplained = sum.unexplained || found->second.unexplained;
    }
    std::string verdict;
    if (row.level == "refused") {
      verdict = "refused by the simulator";
    } else if (sum.scripts == 0) {
      verdict = "not tried";
    } else if (sum.unexplained) {
      verdict = "**differs**";
    } else if (sum.reasons.empty()) {
      verdict = "equal";
    } else {
      verdict = fmt::format("{} of {} equal; else: ", sum.equal, sum.scripts);
      std::string separator;
      for (const std::string& why : sum.reasons) {
        verdict += separator + why;
        separator = "; ";
      }
    }
    if (sum.scripts > 0 && !missing.empty() && !tried.empty()) {
      verdict += "; not tried: ";
      for (std::size_t i = 0; i < missing.size(); ++i) verdict += (i ? ", " : "") + missing[i];
    }
    std::string kinds;
    for (std::size_t i = 0; i < row.kinds.size(); ++i) kinds += (i ? ", " : "") + row.kinds[i];
    text += fmt::format("| {} | {} | {} | {} | {} | {} |\n", row.verb, row.feature, kinds,
                        row.level, sum.scripts, verdict);
  }
  return text;
}

}  // namespace davit::sim::differential
