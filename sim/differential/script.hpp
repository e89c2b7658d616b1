// Scripts: lists of requests that are sent to the simulator and to a real API server alike. No
// expectation is written down: the real server is the expectation. test/conformance/scripts
// shows the form.
//
// A family (`kinds: [...]`, `each: edits`) is expanded into one script per kind and entry. What
// stays in the steps is `${...}`, filled in while playing. Pure values.
#pragma once

#include <string>
#include <vector>

#include "sim/differential/kinds.hpp"

namespace davit::sim::differential {

struct Row {
  std::vector<std::string> kinds;  // resources, after the groups were expanded
  std::string verb, feature, level;
  [[nodiscard]] std::string name() const { return verb + "/" + feature; }
};

// sim/conformance.yaml.
struct Conformance {
  std::map<std::string, std::vector<std::string>> groups;  // resources without their API group
  std::vector<Row> rows;
};
[[nodiscard]] Result<Conformance> load_conformance(const std::string& file);

struct Script {
  std::string name;
  std::string kind;          // the resource it was expanded for; may be empty
  std::string row;           // "verb/feature" of conformance.yaml; may be empty
  bool controllers = false;  // needs the controllers to run
  std::vector<json::object> steps;
};

// Every *.yaml of `folder`, in the order of their names.
[[nodiscard]] Result<std::vector<Script>> load_scripts(const std::string& folder,
                                                       const Kinds& kinds,
                                                       const Conformance& conformance);

// For people: the steps as YAML.
[[nodiscard]] std::string describe(const Script& script);

}  // namespace davit::sim::differential
