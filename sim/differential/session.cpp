#include "sim/differential/session.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/scope.hpp"
#include "sim/differential/simulated.hpp"

namespace davit::sim::differential {

namespace {

bool waited_in_vain(const std::vector<json::object>& notes) {
  return std::ranges::any_of(
      notes, [](const json::object& note) { return note.contains("waited in vain"); });
}

}  // namespace

Session::Session(io::Loop& loop, io::Transport& real, const Kinds& kinds,
                 std::vector<json::object> crds, std::string prefix)
    : loop_(&loop),
      real_(&real),
      kinds_(&kinds),
      crds_(std::move(crds)),
      prefix_(std::move(prefix)) {}

io::Task<Status> Session::prepare() {
  constexpr std::string_view kCrds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/";
  for (const json::object& crd : crds_) {
    io::HttpRequest request{.method = "PATCH",
                            .target = std::string(kCrds) +
                                      std::string(wire::find_string(crd, "metadata.name")) +
                                      "?fieldManager=setup&force=true",
                            .headers = {{"Content-Type", "application/apply-patch+yaml"}},
                            .body = json::serialize(crd)};
    auto applied = co_await real_->send(request, {loop_->now() + std::chrono::seconds(30)});
    if (!applied) co_return fail(std::move(applied.error()));
    if (applied->status > 201)
      co_return fail(Code::kInvalid, "the CRD is refused: " + applied->body);
    const std::string served = fmt::format(
        "/apis/{}/{}/{}", wire::find_string(crd, "spec.group"),
        wire::find_string(wire::find_array(crd, "spec.versions")->front().as_object(), "name"),
        wire::find_string(crd, "spec.names.plural"));
    const Monotonic end = loop_->now() + std::chrono::seconds(30);
    for (;;) {
      auto listed = co_await real_->send({.target = served}, {end});
      if (listed && listed->status == 200) break;
      if (loop_->now() >= end) co_return fail(Code::kUnavailable, served + " is not served");
      co_await io::sleep_for(*loop_, std::chrono::milliseconds(50));
    }
  }
  co_return Status{};
}

io::Task<Outcome> Session::try_one(Script script) {
  const std::string ns = fmt::format("{}-{}", prefix_, ++played_);
  Outcome outcome;
  outcome.simulator = play_in_simulator(script, *kinds_, crds_, ns);
  Player player(*real_, *loop_, *kinds_, ns);
  outcome.real = co_await player.play(script);
  outcome.differences = compare(script, *kinds_, outcome.simulator, outcome.real);
  outcome.vain = waited_in_vain(outcome.simulator) && waited_in_vain(outcome.real);
  outcome.script = std::move(script);
  co_return outcome;
}

io::Task<void> Session::work(std::vector<Script>& scripts, std::vector<Outcome>& outcomes,
                             std::size_t& next) {
  while (next < scripts.size()) {
    const std::size_t mine = next++;
    outcomes[mine] = co_await try_one(scripts[mine]);
  }
}

io::Task<std::vector<Outcome>> Session::run(std::vector<Script> scripts, std::size_t parallel) {
  std::vector<Outcome> outcomes(scripts.size());
  std::size_t next = 0;
  io::Scope workers(*loop_);
  for (std::size_t i = 0; i < parallel; ++i) workers.spawn(work(scripts, outcomes, next));
  co_await workers.join();
  co_return outcomes;
}

io::Task<Outcome> Session::shrink(Outcome outcome, std::function<bool(const Difference&)> counts) {
  const auto first = [&](const Outcome& of) -> const Difference* {
    const auto found = std::ranges::find_if(of.differences, counts);
    return found == of.differences.end() ? nullptr : &*found;
  };
  const Difference* wanted = first(outcome);
  if (!wanted) co_return outcome;
  const std::string at = wanted->at;
  const std::string verb = wanted->verb;
  // Nothing after the difference matters to it.
  outcome.script.steps.resize(std::min(outcome.script.steps.size(), wanted->step + 1));
  for (std::size_t chunk = outcome.script.steps.size() / 2; chunk > 0; chunk /= 2) {
    for (std::size_t begin = 0; begin + 1 < outcome.script.steps.size();) {
      Script shorter = outcome.script;
      const std::size_t end = std::min(begin + chunk, shorter.steps.size() - 1);
      shorter.steps.erase(shorter.steps.begin() + static_cast<std::ptrdiff_t>(begin),
                          shorter.steps.begin() + static_cast<std::ptrdiff_t>(end));
      Outcome again = co_await try_one(std::move(shorter));
      const Difference* still = first(again);
      if (still && still->at == at && still->verb == verb) {
        outcome = std::move(again);
        outcome.script.steps.resize(
            std::min(outcome.script.steps.size(), first(outcome)->step + 1));
      } else {
        begin += chunk;
      }
    }
  }
  co_return co_await try_one(outcome.script);
}

}  // namespace davit::sim::differential
