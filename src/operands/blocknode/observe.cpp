#include "operands/blocknode/observe.hpp"

#include <fmt/format.h>

#include "io/scope.hpp"
#include "operands/blocknode/layout.hpp"
#include "operands/blocknode/pod_facts.hpp"

namespace davit::blocknode {

namespace {

// The port of a service: its own, else the shared one.
std::uint16_t port_of(const Question& question, std::string_view name) {
  for (const AskedPort& port : question.ports) {
    if (port.name == name) return port.number;
  }
  return kGrpcPort;
}

io::Task<std::optional<std::string>> silent(NodeProbe& probe, Address address, std::string name,
                                            io::Deadline deadline) {
  const Status spoken = co_await probe.speaks(address, deadline);
  if (spoken) co_return std::nullopt;
  co_return fmt::format("{} ({})", name, address.port);
}

io::Task<void> ask_ports(NodeProbe& probe, io::Loop& loop, Question question, io::Deadline deadline,
                         Round& round) {
  std::vector<io::Task<std::optional<std::string>>> tasks;
  tasks.reserve(question.ports.size());
  for (const AskedPort& port : question.ports) {
    tasks.push_back(silent(probe, {question.host, port.number}, port.name, deadline));
  }
  for (auto& name : co_await io::all(loop, std::move(tasks))) {
    if (name) round.silent_ports.push_back(std::move(*name));
  }
}

// "" when the block is there, decodes and holds something.
io::Task<std::string> block_problem(NodeProbe& probe, Address access, std::uint64_t number,
                                    io::Deadline deadline) {
  const auto block = co_await probe.block(access, number, deadline);
  if (!block) co_return fmt::format("block {}: {}", number, block.error().message());
  if (block->items == 0) co_return fmt::format("block {} is empty", number);
  if (block->number != number) {
    co_return fmt::format("asked for block {}, got {}", number, block->number);
  }
  co_return std::string();
}

io::Task<void> ask_blocks(NodeProbe& probe, io::Loop& loop, Random& random, Question question,
                          Duration answer, Round& round) {
  if (!round.heights || !round.heights->first || !round.heights->last) co_return;
  const std::uint64_t first = *round.heights->first;
  const std::uint64_t last = *round.heights->last;
  if (last < first) co_return;
  const Address access{question.host, port_of(question, "block-access")};
  for (const std::uint64_t number : {first, last, first + random.below(last - first + 1)}) {
    std::string problem =
        co_await block_problem(probe, access, number, io::Deadline::after(loop, answer));
    if (!problem.empty()) {
      round.block_problem = std::move(problem);
      co_return;
    }
  }
  round.block_problem = std::string();
}

io::Task<void> ask_metrics(NodeProbe& probe, Address metrics, io::Deadline deadline, Round& round) {
  const auto text = co_await probe.metrics(metrics, deadline);
  if (!text) {
    round.publishers = Result<std::int64_t>(fail(text.error()));
  } else if (const auto open = publisher_connections(*text)) {
    round.publishers = Result<std::int64_t>(*open);
  }
}

io::Task<void> ask_health(NodeProbe& probe, Address health, io::Deadline deadline, Round& round) {
  round.health = co_await probe.health(health, deadline);
}

io::Task<void> ask_status(NodeProbe& probe, Address status, bool detail, io::Deadline deadline,
                          Round& round) {
  round.heights = co_await probe.server_status(status, deadline);
  if (detail) round.detail = co_await probe.server_detail(status, deadline);
}

io::Task<void> ask_agent(NodeProbe& probe, Address agent, io::Deadline deadline, Round& round) {
  const auto text = co_await probe.agent_report(agent, deadline);
  round.agent = text ? parse_agent_report(*text) : Result<AgentReport>(fail(text.error()));
}

}  // namespace

std::optional<Question> question_for(const json::object& pod) {
  const PodFacts facts = look_at_pod(pod);
  if (facts.ip.empty() || !facts.server.running || facts.deleting) return std::nullopt;
  Question question;
  question.run = facts.run();
  question.host = facts.ip;
  const json::array* containers = wire::find_array(pod, "spec.containers");
  if (containers == nullptr) return question;
  for (const json::value& value : *containers) {
    const json::object* container = value.if_object();
    if (container == nullptr || wire::find_string(*container, "name") != "server") continue;
    const json::array* ports = wire::find_array(*container, "ports");
    if (ports == nullptr) continue;
    for (const json::value& port : *ports) {
      const json::object* object = port.if_object();
      if (object == nullptr) continue;
      question.ports.push_back(
          {std::string(wire::find_string(*object, "name")),
           static_cast<std::uint16_t>(wire::find_int(*object, "containerPort").value_or(0))});
    }
  }
  return question;
}

io::Task<Round> ask(NodeProbe& probe, io::Loop& loop, Random& random, Question question,
                    Duration answer) {
  Round round;
  round.run = question.run;
  round.health = fail(Code::kUnavailable, "no answer");
  round.heights = fail(Code::kUnavailable, "no answer");
  round.agent = fail(Code::kUnavailable, "no answer");
  const io::Deadline deadline = io::Deadline::after(loop, answer);
  const auto at = [&question](std::uint16_t port) { return Address{question.host, port}; };
  {
    io::Scope scope(loop, [](const std::exception_ptr&) {});  // what threw has not answered
    scope.spawn(ask_health(probe, at(kHealthPort), deadline, round));
    scope.spawn(ask_status(probe, at(port_of(question, "server-status")), question.detail, deadline,
                           round));
    scope.spawn(ask_agent(probe, at(kAgentPort), deadline, round));
    scope.spawn(ask_metrics(probe, at(kMetricsPort), deadline, round));
    co_await scope.join();
  }
  // Only a node that answers is asked further.
  if (!round.health || round.health->status != 200) co_return round;
  co_await ask_ports(probe, loop, question, io::Deadline::after(loop, answer), round);
  if (question.blocks) co_await ask_blocks(probe, loop, random, question, answer, round);
  co_return round;
}

Monotonic next_round(const Observation& observation, const Cadence& cadence, bool settled) {
  if (!observation.asked_at) return Monotonic{};
  const bool calm = settled && observation.lost_rounds == 0;
  return *observation.asked_at + (calm ? cadence.settled : cadence.unsettled);
}

}  // namespace davit::blocknode
