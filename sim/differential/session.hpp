// Session: many scripts on both sides: each on a fresh simulator, and in a namespace of its own on
// one real API server, several at a time. A random script that differs is made shorter while it
// keeps its first difference.
//
//   Session session(loop, *transport, kinds, crds, "run1");
//   std::vector<Outcome> outcomes = block_on(loop, session.run(scripts, 8));
#pragma once

#include <functional>

#include "io/asio_loop.hpp"
#include "sim/differential/compare.hpp"

namespace davit::sim::differential {

struct Outcome {
  Script script;
  std::vector<Difference> differences;
  std::vector<json::object> simulator, real;  // notes
  bool vain = false;                          // both sides waited in vain: the script is wrong
};

class Session {
 public:
  Session(io::Loop& loop, io::Transport& real, const Kinds& kinds, std::vector<json::object> crds,
          std::string prefix);

  // Puts the CRDs on the real server and waits until their kinds are served.
  [[nodiscard]] io::Task<Status> prepare();
  [[nodiscard]] io::Task<Outcome> try_one(Script script);
  // In the order of `scripts`.
  [[nodiscard]] io::Task<std::vector<Outcome>> run(std::vector<Script> scripts,
                                                   std::size_t parallel);
  // The shortest script found that still shows a difference for which `counts` holds.
  [[nodiscard]] io::Task<Outcome> shrink(Outcome outcome,
                                         std::function<bool(const Difference&)> counts);

 private:
  io::Task<void> work(std::vector<Script>& scripts, std::vector<Outcome>& outcomes,
                      std::size_t& next);

  io::Loop* loop_;
  io::Transport* real_;
  const Kinds* kinds_;
  std::vector<json::object> crds_;
  std::string prefix_;
  std::size_t played_ = 0;
};

}  // namespace davit::sim::differential
