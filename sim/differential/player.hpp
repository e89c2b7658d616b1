// Player: plays the steps of one script on one server, and notes what came back, normalised.
//
//   Player player(transport, loop, kinds, "d17");
//   std::vector<json::object> seen = co_await player.play(script);
//
// A note is {code, body, warnings}, {events} for a stream that was read, or {failed} when there was
// no answer. Waiting ends when what is waited for is there; the limits only end what hangs. On the
// loop's thread; transport, loop and kinds must outlive it.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "io/http.hpp"
#include "sim/differential/normalise.hpp"
#include "sim/differential/script.hpp"

namespace davit::sim::differential {

class Player {
 public:
  Player(io::Transport& transport, io::Loop& loop, const Kinds& kinds, std::string ns);

  // Makes the namespace first; one note per step. By value: the caller's may go.
  [[nodiscard]] io::Task<std::vector<json::object>> play(Script script);

 private:
  struct Stream {
    std::unique_ptr<io::BodyStream> body;
    std::string rest;  // received, not yet a whole line
    std::string resource;
    bool ended = false;
  };

  io::Task<json::object> step(json::object step);
  io::Task<json::object> exchange(json::object step);
  io::Task<json::object> open(json::object step);
  io::Task<json::object> events(json::object step);
  io::Task<Result<io::HttpResponse>> send(io::HttpRequest request);
  io::Task<bool> make_namespace();

  [[nodiscard]] json::value filled(const json::value& value) const;
  [[nodiscard]] std::string filled(std::string text) const;
  [[nodiscard]] Result<io::HttpRequest> request_of(const json::object& step) const;
  void keep(const json::object& step, const json::value& body);
  // Of a kind without namespaces, and of another script, or made by nobody here.
  [[nodiscard]] bool is_foreign(const json::object& step, const json::object& object) const;
  void drop_foreign(const json::object& step, json::value& body) const;

  io::Transport* transport_;
  io::Loop* loop_;
  const Kinds* kinds_;
  std::map<std::string, std::string> variables_;
  std::map<std::string, Stream> streams_;
  Normaliser normalise_;
};

// The verb of a step and what it acts on: "apply", "configmaps/a".
struct StepText {
  std::string verb, resource;
};
[[nodiscard]] StepText describe_step(const json::object& step, const Kinds& kinds);

}  // namespace davit::sim::differential
