// The contract of a Block Node's outward behaviour: one list of checks, each with its source, run
// against any Lab: a running server, stand-in processes over the network, the simulator's Fleet in
// virtual time.
//
// A check throws Miss when the behaviour is not there and Skip when the lab cannot show it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "standin/blocknode/contract/node.hpp"

namespace davit::standin {

// Where nodes come from.
class Lab {
 public:
  virtual ~Lab() = default;
  // "stand-in processes over the network"
  [[nodiscard]] virtual std::string name() const = 0;
  // One that serves and has blocks; checks only read it.
  virtual Node& running() = 0;
  // One for a check alone, not yet started. Skip: there can be no other.
  virtual std::unique_ptr<Node> fresh() = 0;
};

struct Check {
  const char* name;
  const char* source;  // section of facts/blocknode.md
  void (*run)(Lab& lab);
};

[[nodiscard]] const std::vector<Check>& checks();

struct Miss {
  std::string what;
};

// Throws Miss with `what` when `good` is false.
void expect(bool good, const std::string& what);
template <typename A, typename B>
void expect_equal(const A& found, const B& wanted, const std::string& what) {
  if (found == wanted) return;
  if constexpr (requires { std::to_string(found); }) {
    throw Miss{what + ": found " + std::to_string(found) + ", expected " + std::to_string(wanted)};
  } else {
    throw Miss{what + ": found \"" + std::string(found) + "\", expected \"" + std::string(wanted) +
               "\""};
  }
}

// The parts of the list.
std::vector<Check> reading_checks();  // what any client sees of a node that serves
std::vector<Check> life_checks();     // starts, stops, settings, ports
std::vector<Check> storage_checks();  // blocks, files, disks
std::vector<Check> probe_checks();    // what Davit's probe makes of it

}  // namespace davit::standin
