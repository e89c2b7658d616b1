// Asking a node: one round of questions through the NodeProbe, all at once, each with its deadline.
//
// Runs on the loop, beside the reconciles and never inside one: a node that does not answer costs
// no worker. At most one round per node is under way. Never fails: a question without answer is an
// Error inside the Round.
#pragma once

#include "base/random.hpp"
#include "operands/blocknode/observation.hpp"
#include "runtime/store.hpp"

namespace davit::blocknode {

struct AskedPort {
  std::string name;
  std::uint16_t number = 0;
};

// Made from the pod, not from the spec: a change of ports may still wait for its restart.
struct Question {
  std::string run;
  std::string host;              // pod IP
  std::vector<AskedPort> ports;  // of the server container
  bool detail = false;           // ask version and plugins
  bool blocks = false;           // read the first, the last and one block between
};

struct Cadence {
  Duration unsettled{std::chrono::seconds(3)};  // while not Ready
  Duration settled{std::chrono::seconds(10)};
  Duration blocks{std::chrono::minutes(5)};  // between two looks at blocks
  Duration detail{std::chrono::minutes(5)};
  Duration answer{std::chrono::seconds(3)};  // deadline of each question
};

// nullopt: the pod has no address, or its server container does not run.
[[nodiscard]] std::optional<Question> question_for(const json::object& pod);

[[nodiscard]] io::Task<Round> ask(NodeProbe& probe, io::Loop& loop, Random& random,
                                  Question question, Duration answer);

// When the next round is due.
[[nodiscard]] Monotonic next_round(const Observation& observation, const Cadence& cadence,
                                   bool settled);

}  // namespace davit::blocknode
