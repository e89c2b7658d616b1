// kubectl-davit: `kubectl davit status`, `kubectl davit report`. Uses the kubeconfig kubectl uses.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "cli/gather.hpp"
#include "cli/report.hpp"
#include "io/block_on.hpp"
#include "kube/config.hpp"
#include "kube/connect.hpp"
#include "operands/blocknode/types.hpp"

namespace davit::cli {
namespace {

struct Options {
  std::string kubeconfig;
  std::string context;
  std::string ns;
  std::string name;
  std::string folder;
  bool all_namespaces = false;
};

int explain(const Error& error) {
  fmt::print(stderr, "error: {}\n", error.describe());
  return 1;
}

io::Task<int> status(kube::Client& client, Options options) {
  std::vector<ObjectKey> keys;
  if (!options.name.empty()) {
    keys.push_back({options.ns, options.name});
  } else {
    const std::string ns = options.all_namespaces ? "" : options.ns;
    auto list = co_await client.list_all(blocknode::kBlockNodes, ns);
    if (!list) co_return explain(list.error());
    for (const json::object& node : list->items) keys.push_back(kube::key_of(node));
    if (keys.empty()) {
      fmt::print("no BlockNode in {}. Create one: docs/guide/quick-start.md\n",
                 ns.empty() ? "any namespace" : "namespace " + ns + " (-A looks everywhere)");
    }
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    auto gathered = co_await gather(client, keys[i]);
    if (!gathered) co_return explain(gathered.error());
    if (i > 0) fmt::print("\n");
    fmt::print("{}", render_status(gathered->facts, client.loop().wall()));
    for (const std::string& problem : gathered->problems) fmt::print("\nNote: {}\n", problem);
  }
  co_return 0;
}

io::Task<int> report(kube::Client& client, Options options) {
  std::string folder = options.folder;
  if (folder.empty()) {
    std::string time = format_time(client.loop().wall());
    std::erase(time, ':');
    folder = fmt::format("davit-report-{}-{}-{}", options.ns, options.name, time);
  }
  const auto written = co_await write_report(client, {options.ns, options.name}, folder);
  if (!written) co_return explain(written.error());
  fmt::print("{}\nSecrets are masked; look through it before you send it on.\n", written->string());
  co_return 0;
}

int run(const Options& options, const CLI::App& report_command) {
  auto config = kube::load_config(kube::process_environment(),
                                  {.kubeconfig = options.kubeconfig, .context = options.context});
  if (!config) return explain(config.error());
  Options wanted = options;
  if (wanted.ns.empty()) wanted.ns = config->ns;
  io::AsioLoop loop;
  const auto transport = kube::connect(loop, std::move(*config), "kubectl-davit");
  kube::Client client(*transport, loop);
  return io::block_on(loop,
                      report_command.parsed() ? report(client, wanted) : status(client, wanted));
}

}  // namespace
}  // namespace davit::cli

int main(int argc, char** argv) {
  davit::cli::Options options;
  CLI::App app("Looks after Hiero Block Nodes that Davit runs.", "kubectl davit");
  app.require_subcommand(1);
  app.add_option("--kubeconfig", options.kubeconfig, "kubeconfig file; else as kubectl does");
  app.add_option("--context", options.context, "context of the kubeconfig");
  app.fallthrough();
  app.add_option("-n,--namespace", options.ns, "namespace; else that of the context");
  CLI::App* status = app.add_subcommand("status", "one screen for each BlockNode");
  status->add_option("name", options.name, "BlockNode; none: all of the namespace");
  status->add_flag("-A,--all-namespaces", options.all_namespaces, "BlockNodes of all namespaces");
  CLI::App* report = app.add_subcommand(
      "report", "a folder with objects, events, logs and metrics of a BlockNode");
  report->add_option("name", options.name, "BlockNode")->required();
  report->add_option("-o,--output", options.folder, "folder to write");
  CLI11_PARSE(app, argc, argv);
  return davit::cli::run(options, *report);
}
