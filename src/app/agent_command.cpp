#include "app/agent_command.hpp"

#include <charconv>
#include <memory>

#include "base/log.hpp"
#include "io/asio_loop.hpp"
#include "io/http_server.hpp"
#include "io/scope.hpp"
#include "operands/blocknode/agent/agent.hpp"
#include "operands/blocknode/layout.hpp"

namespace davit::app {

namespace {

struct Flags {
  std::uint16_t port = blocknode::kAgentPort;
  std::vector<std::string> volumes;
  std::vector<std::string> speaks;
  std::string start_report;
};

// "a=b" → {a, b}; throws what CLI11 shows to the user.
std::pair<std::string, std::string> pair_of(const std::string& flag, const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    throw CLI::ValidationError(flag, "'" + text + "' is not of the form NAME=VALUE");
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

blocknode::AgentOptions options_from(const Flags& flags) {
  blocknode::AgentOptions options;
  options.start_report = flags.start_report;
  for (const std::string& text : flags.volumes) {
    auto [role, path] = pair_of("--volume", text);
    options.volumes.push_back({role, path});
  }
  for (const std::string& text : flags.speaks) {
    auto [name, number] = pair_of("--speaks", text);
    std::uint16_t port = 0;
    const auto [end, failure] = std::from_chars(number.data(), number.data() + number.size(), port);
    if (failure != std::errc{} || end != number.data() + number.size() || port == 0) {
      throw CLI::ValidationError("--speaks", "'" + number + "' is not a port (1 to 65535)");
    }
    options.ports.push_back({name, port});
  }
  return options;
}

int watch(const Flags& flags) {
  const blocknode::AgentOptions options = options_from(flags);
  io::AsioLoop loop;
  const Logger log({}, loop);
  blocknode::Agent agent(loop, options);
  auto server =
      io::HttpServer::listen(loop, {.address = "0.0.0.0", .port = flags.port},
                             [&agent](io::HttpRequest request) -> io::Task<io::HttpResponse> {
                               co_return agent.answer(request);
                             });
  if (!server) {
    log.error("the agent cannot listen", {{"error", server.error()}});
    return 1;
  }
  loop.on_signal([&loop](int) { loop.stop(); });
  io::Scope scope(loop);
  scope.spawn(agent.run());
  log.info("the agent watches", {{"volumes", options.volumes.size()},
                                 {"ports", options.ports.size()},
                                 {"port", (*server)->port()}});
  loop.run();
  return 0;
}

}  // namespace

void add_agent_command(CLI::App& app, int& exit_code) {
  CLI::App* agent = app.add_subcommand("agent", "what runs beside an operand, in its pod");
  agent->require_subcommand(1);
  CLI::App* command = agent->add_subcommand(
      "watch", "tests volumes and ports of a Block Node; serves /readyz, /healthz, /report");
  auto flags = std::make_shared<Flags>();
  command->add_option("--port", flags->port, "where to serve")->capture_default_str();
  command->add_option("--volume", flags->volumes, "ROLE=PATH, repeatable");
  command->add_option("--speaks", flags->speaks, "NAME=PORT that must accept connections");
  command->add_option("--start-report", flags->start_report, "what davit-start wrote");
  command->callback([flags, &exit_code] { exit_code = watch(*flags); });
}

}  // namespace davit::app
