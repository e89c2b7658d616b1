// blocknode-contract: does this node behave as the facts say?
//
//   blocknode-contract                                   every check, on stand-ins of its own
//   blocknode-contract --node bn.example:40840,40983,16007   what can be seen of a running server
//
// Prints one line per check; exit code 1 when one misses.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <filesystem>
#include <optional>

#include "standin/blocknode/contract/contract.hpp"
#include "standin/blocknode/contract/local_node.hpp"

namespace davit::standin {

void expect(bool good, const std::string& what) {
  if (!good) throw Miss{what};
}

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

int run(const std::vector<Check>& checks) {
  int missed = 0;
  for (const Check& check : checks) {
    std::string verdict = "ok  ";
    std::string more;
    try {
      check.run();
    } catch (const Miss& miss) {
      verdict = "MISS";
      more = ": " + miss.what;
      ++missed;
    } catch (const Skip& skip) {
      verdict = "skip";
      more = ": " + skip.why;
    }
    fmt::print("{} {} (section {}){}\n", verdict, check.name, check.source, more);
    (void)std::fflush(stdout);
  }
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
  std::string program =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "blocknode-standin")
          .string();
  app.add_option("--node", node, "running node, host:grpc[,health[,metrics]]");
  app.add_option("--publish", publish, "publish service, host:port, if elsewhere");
  app.add_option("--subscribe", subscribe, "subscribe service, if elsewhere");
  app.add_option("--access", access, "getBlock service, if elsewhere");
  app.add_option("--status", status, "status service, if elsewhere");
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
    missed = standin::run(standin::remote_checks(target));
    fmt::print("not seen from outside, so only checked on the stand-in: {} more\n",
               standin::local_checks(program).size());
  } else {
    standin::LocalNode local(program);
    local.start();
    local.wait_ready();
    (void)local.run_tool("publish --rate 0 --count 12 --to " + local.grpc_address());
    missed = standin::run(standin::remote_checks(local.target())) +
             standin::run(standin::local_checks(program));
  }
  fmt::print("{} missed\n", missed);
  return missed == 0 ? 0 : 1;
}
