// Judges: what must hold in every life, each rule one judge with a name.
//
//   World world({.seed = 7});
//   Bench bench(world);             // watches from now on
//   … the life …
//   bench.end();                    // faults have stopped: convergence, silence, truth of status
//   for (const Violation& v : bench.violations()) …
//
// Judges see every request of Davit (with its body and answer), every change of an object with the
// request that caused it, and what is (Fleet::Truth): never through Davit's own eyes. They write
// nothing. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sim/life/world.hpp"

namespace davit::sim {

struct Violation {
  std::string judge;  // "ClaimsKeepTheirData"
  Monotonic at;
  std::string sentence;  // what happened, with names: "claim hiero/bn1-live was deleted by davit-0"
};

// One request of anybody, when its effect is known.
struct RequestSeen {
  const RequestInfo* info = nullptr;
  const io::HttpRequest* request = nullptr;
  const io::HttpResponse* response = nullptr;  // null: refused to answer (a fault)
};

// One change in the store; `cause` is null when the cluster's own controllers made it.
struct ChangeSeen {
  const StoredEvent* event = nullptr;
  const RequestInfo* cause = nullptr;
  bool by_davit = false;
  // A status that moved nothing but heights, use and the time they were read.
  bool only_volatile = false;
};

class Judge {
 public:
  virtual ~Judge() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  // The rule in one sentence, with the number it has in the design.
  [[nodiscard]] virtual std::string_view rule() const = 0;
  virtual void saw(World& /*world*/, const RequestSeen& /*request*/) {}
  virtual void saw(World& /*world*/, const ChangeSeen& /*change*/) {}
  // Faults have stopped and the cluster had its time to settle; the last ten minutes were quiet.
  virtual void at_end(World& /*world*/) {}

 protected:
  void object(World& world, std::string sentence);  // records a violation

 private:
  friend class Bench;
  std::vector<Violation>* violations_ = nullptr;
};

[[nodiscard]] std::vector<std::unique_ptr<Judge>> all_judges();

// May go before the world; must not be used after it.
class Bench {
 public:
  explicit Bench(World& world, std::vector<std::unique_ptr<Judge>> judges = all_judges());
  ~Bench();
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  // Lets the world settle (at most an hour of its time), then listens to ten minutes of silence,
  // then asks every judge for its last word.
  void end();
  [[nodiscard]] const std::vector<Violation>& violations() const { return violations_; }

 private:
  void request(const RequestInfo& info, const io::HttpRequest& request,
               const io::HttpResponse* response);
  void change(const StoredEvent& event);
  [[nodiscard]] bool any_runs() const;

  World* world_;
  std::shared_ptr<bool> watches_ = std::make_shared<bool>(true);
  std::vector<std::unique_ptr<Judge>> judges_;
  std::vector<Violation> violations_;
  Monotonic last_solid_write_;  // of Davit: neither a lease nor a volatile status
};

}  // namespace davit::sim
