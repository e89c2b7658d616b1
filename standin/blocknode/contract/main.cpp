// blocknode-contract: does this node behave as the facts say?
//
//   blocknode-contract                       every check, on stand-in processes and in the
//   simulator blocknode-contract --only simulator      one of the two blocknode-contract --node
//   bn.example:40840,40983,16007   what can be seen of a running server
//
// Prints one line per check and a count per lab; exit code 1 when one misses.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>

#include "standin/blocknode/contract/labs.hpp"

namespace davit::standin {

namespace {

// host:grpc[,health[,metrics]]
Target parse_node(const std::string& text) {
  Target target;
  const auto colon = text.rfind(':');
  target.host = text.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  for (std::uint16_t* port : {&target.grpc, &target.health, &target.metrics}) {
    if (rest.empty()) break;
    *port = static_cast<std::uint16_t>(std::strtoul(rest.c_str(), nullptr, 10));
    const auto comma = rest.find(',');
    rest = comma == std::string::npos ? "" : rest.substr(comma + 1);
  }
  return target;
}

// How many missed.
int run(Lab& lab) {
  int kept = 0;
  int missed = 0;
  int unseen = 0;
  fmt::print("-- {}\n", lab.name());
  for (const Check& check : checks()) {
    std::string verdict = "ok  ";
    std::string more;
    try {
      check.run(lab);
      ++kept;
    } catch (const Miss& miss) {
      verdict = "MISS";
      more = ": " + miss.what;
      ++missed;
    } catch (const Skip& skip) {
      verdict = "skip";
      more = ": " + skip.why;
      ++unseen;
    }
    fmt::print("{} {} (section {}){}\n", verdict, check.name, check.source, more);
    (void)std::fflush(stdout);
  }
  fmt::print("{}: {} checks kept, {} missed, {} cannot be seen there\n", lab.name(), kept, missed,
             unseen);
  return missed;
}

}  // namespace
}  // namespace davit::standin

int main(int argc, char** argv) {
  namespace standin = davit::standin;
  CLI::App app("Contract of a Block Node's outward behaviour");
  std::string node;
  std::string publish;
  std::string subscribe;
  std::string access;
  std::string status;
  std::string only;
  std::string program =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "blocknode-standin")
          .string();
  app.add_option("--node", node, "running node, host:grpc[,health[,metrics]]");
  app.add_option("--publish", publish, "publish service, host:port, if elsewhere");
  app.add_option("--subscribe", subscribe, "subscribe service, if elsewhere");
  app.add_option("--access", access, "getBlock service, if elsewhere");
  app.add_option("--status", status, "status service, if elsewhere");
  app.add_option("--only", only, "one lab: network or simulator")
      ->check(CLI::IsMember({"network", "simulator"}));
  app.add_option("--standin", program, "program to start when no node is given");
  CLI11_PARSE(app, argc, argv);

  int missed = 0;
  if (!node.empty()) {
    standin::Target target = standin::parse_node(node);
    const std::string shared = target.host + ":" + std::to_string(target.grpc);
    target.publish = publish.empty() ? shared : publish;
    target.subscribe = subscribe.empty() ? shared : subscribe;
    target.access = access.empty() ? shared : access;
    target.status = status.empty() ? shared : status;
    missed = standin::run(*standin::running_server(target));
  } else {
    if (only != "simulator") missed += standin::run(*standin::standin_processes(program));
    if (only != "network") missed += standin::run(*standin::simulated_pods());
  }
  return missed == 0 ? 0 : 1;
}
