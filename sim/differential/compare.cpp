#include "sim/differential/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace davit::sim::differential {

namespace {

struct Found {
  std::string at, simulator, real;
};

std::string text_of(const json::value* value) {
  return value ? wire::canonical(*value) : std::string("nothing");
}

void walk(const json::value* simulator, const json::value* real, const std::string& at,
          std::vector<Found>& found) {
  if (simulator && real && simulator->is_object() && real->is_object()) {
    std::set<std::string_view> names;
    for (const auto& [name, value] : simulator->as_object()) names.insert(name);
    for (const auto& [name, value] : real->as_object()) names.insert(name);
    for (const std::string_view name : names) {
      walk(simulator->as_object().if_contains(name), real->as_object().if_contains(name),
           at + "/" + std::string(name), found);
    }
    return;
  }
  if (simulator && real && simulator->is_array() && real->is_array()) {
    const json::array& a = simulator->as_array();
    const json::array& b = real->as_array();
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      walk(i < a.size() ? &a[i] : nullptr, i < b.size() ? &b[i] : nullptr, at + "/*", found);
    }
    return;
  }
  if (simulator && real && *simulator == *real) return;
  if (!simulator && !real) return;
  found.push_back({at, text_of(simulator), text_of(real)});
}

bool matches(const std::string& glob, const std::string& text) {
  return glob.empty() || glob_matches(glob, text);
}

}  // namespace

bool glob_matches(std::string_view glob, std::string_view text) {
  std::size_t g = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t mark = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      mark = t;
    } else if (g < glob.size() && glob[g] == text[t]) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++mark;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

std::vector<Difference> compare(const Script& script, const Kinds& kinds,
                                const std::vector<json::object>& simulator,
                                const std::vector<json::object>& real) {
  std::vector<Difference> differences;
  const std::size_t count = std::max(simulator.size(), real.size());
  for (std::size_t i = 0; i < count; ++i) {
    const json::object none;
    const json::object& a = i < simulator.size() ? simulator[i] : none;
    const json::object& b = i < real.size() ? real[i] : none;
    const json::object& step = i < script.steps.size() ? script.steps[i] : none;
    if (wire::find_bool(step, "quiet", false)) continue;
    const StepText text = describe_step(step, kinds);
    const auto add = [&](const Found& found) {
      differences.push_back({.script = script.name,
                             .verb = text.verb,
                             .resource = text.resource,
                             .at = found.at,
                             .simulator = found.simulator,
                             .real = found.real,
                             .step = i});
    };
    const bool codes_differ = text_of(a.if_contains("code")) != text_of(b.if_contains("code")) ||
                              a.contains("failed") != b.contains("failed");
    if (codes_differ) {
      const auto short_form = [](const json::object& note) {
        if (note.contains("failed")) return text_of(&note.at("failed"));
        std::string all = text_of(note.if_contains("code"));
        const json::value* body = note.if_contains("body");
        if (body && body->is_object() && body->as_object().contains("message")) {
          all += " " + text_of(body->as_object().if_contains("message"));
        }
        return all;
      };
      add({"/code", short_form(a), short_form(b)});
      return differences;
    }
    std::vector<Found> found;
    const json::value left(a);
    const json::value right(b);
    walk(&left, &right, "", found);
    for (const Found& one : found) add(one);
  }
  return differences;
}

Result<KnownDifferences> KnownDifferences::load(const std::string& file) {
  auto loaded = load_yaml(file);
  if (!loaded) return fail(std::move(loaded.error()));
  KnownDifferences known;
  if (!loaded->is_array()) return fail(Code::kInvalid, file + " is no list");
  for (const json::value& value : loaded->as_array()) {
    if (!value.is_object()) return fail(Code::kInvalid, file + ": an entry is a map");
    const json::object& row = value.as_object();
    Entry entry{.script = std::string(wire::find_string(row, "script")),
                .resource = std::string(wire::find_string(row, "resource")),
                .verb = std::string(wire::find_string(row, "verb")),
                .at = std::string(wire::find_string(row, "at")),
                .simulator = std::string(wire::find_string(row, "sim")),
                .real = std::string(wire::find_string(row, "real")),
                .why = std::string(wire::find_string(row, "why"))};
    if (entry.why.empty() || entry.at.empty()) {
      return fail(Code::kInvalid, file + ": an entry needs `at` and `why`");
    }
    known.entries_.push_back(std::move(entry));
  }
  return known;
}

const std::string* KnownDifferences::covers(const Difference& difference) {
  for (Entry& entry : entries_) {
    if (matches(entry.script, difference.script) && matches(entry.resource, difference.resource) &&
        matches(entry.verb, difference.verb) && matches(entry.at, difference.at) &&
        matches(entry.simulator, difference.simulator) && matches(entry.real, difference.real)) {
      ++entry.seen;
      return &entry.why;
    }
  }
  return nullptr;
}

std::vector<std::string> KnownDifferences::stale() const {
  std::vector<std::string> all;
  for (const Entry& entry : entries_) {
    if (entry.seen > 0) continue;
    all.push_back(fmt::format("at: {}, resource: {}, verb: {}, script: {}: {}", entry.at,
                              entry.resource, entry.verb, entry.script, entry.why));
  }
  return all;
}

}  // namespace davit::sim::differential
