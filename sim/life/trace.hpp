// Trace: what happened in a life, to be read: lines of requests, changes and plans for --replay,
// sentences for --explain. Bounded: the oldest lines give way.
//
//   Trace trace;
//   run(schedule, {.trace = &trace});
//   std::cout << trace.lines() << trace.story();
#pragma once

#include <deque>
#include <string>

#include "sim/life/step.hpp"
#include "sim/life/world.hpp"

namespace davit::sim {

class Trace {
 public:
  explicit Trace(std::size_t limit = 20'000) : limit_(limit) {}

  void attach(World& world);
  // The world goes; what was heard stays.
  void detach() { world_ = nullptr; }
  void step(const Step& step);
  void refused(const Error& error);
  void say(std::string_view sentence);

  // "  12.345 s davit-0 patch statefulsets.apps hiero/bn1 200"
  [[nodiscard]] std::string lines() const;
  // "At 12.3 s the user asked for a bigger volume of bn1 …"
  [[nodiscard]] std::string story() const;

 private:
  void line(std::string text);
  void sentence(std::string text);
  void request(const RequestInfo& info, const io::HttpRequest& sent,
               const io::HttpResponse* response);
  void change(const StoredEvent& event);

  World* world_ = nullptr;
  std::size_t limit_;
  std::size_t dropped_ = 0;
  std::deque<std::string> lines_;
  std::deque<std::string> story_;
};

// "a user asked for a bigger volume of bn1 (to 6Gi)"
[[nodiscard]] std::string sentence_of(const Step& step);

}  // namespace davit::sim
