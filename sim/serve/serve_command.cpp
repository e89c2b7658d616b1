#include "sim/serve/serve_command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "sim/serve/demo.hpp"
#include "sim/serve/front.hpp"
#include "sim/serve/kubeconfig.hpp"
#include "sim/serve/time_control.hpp"

namespace davit::sim {

namespace {

struct Options {
  DemoOptions demo;
  double speed = 1;
  std::uint16_t port = 0;
  std::string kubeconfig;
};

int failed(const Error& error) {
  fmt::print(stderr, "davit-sim serve: {}\n", error.describe());
  return 1;
}

void print_welcome(const Options& options, const std::string& path, std::uint16_t port) {
  fmt::print(
      R"(A simulated cluster answers at https://127.0.0.1:{port}, {speed} times as fast as real time.
{workers} workers, Davit, and {nodes} Block Nodes in namespace {ns} that are being created.

  export KUBECONFIG={path}
  kubectl get bn -A -w             # until they are Ready
  kubectl davit status -n {ns} bn1  # one of them, at a glance
  kubectl get pods -A -o wide
  kubectl events -n {ns}
  kubectl explain bn.spec

  kubectl get --raw {time}                                  # the simulated time
  kubectl create --raw '{time}?speed=0' -f /dev/null        # pause; 60: a minute each second

Ctrl-C ends it; nothing is left behind.
)",
      fmt::arg("port", port), fmt::arg("speed", options.speed),
      fmt::arg("workers", options.demo.workers), fmt::arg("nodes", options.demo.block_nodes),
      fmt::arg("ns", kDemoNamespace), fmt::arg("path", path), fmt::arg("time", kTimePath));
  std::fflush(stdout);
}

int serve(const Options& options) {
  io::AsioLoop real;
  const auto certificates =
      make_server_certificates({"IP:127.0.0.1", "DNS:localhost"}, real.wall());
  if (!certificates) return failed(certificates.error());
  const auto token = make_token();
  if (!token) return failed(token.error());

  Demo demo(options.demo, real.wall());
  TimeLapse time(real, [&](Duration passed) { demo.advance(passed); }, options.speed);
  Gateway gateway(demo.world.server, demo.world.loop, *token);
  gateway.serve_also([&](const io::HttpRequest& request) {
    return answer_time_control(time, demo.world.loop, request);
  });
  const auto front = Front::listen({.real = real,
                                    .virtual_loop = demo.world.loop,
                                    .gateway = gateway,
                                    .wake = [&] { time.wake(); }},
                                   options.port, *certificates);
  if (!front) return failed(front.error());

  std::optional<PrivateFolder> folder;
  std::string path = options.kubeconfig;
  if (path.empty()) {
    auto made = PrivateFolder::make();
    if (!made) return failed(made.error());
    folder.emplace(std::move(*made));
    path = folder->path() + "/kubeconfig";
  }
  const Access access{.port = (*front)->port(), .ca = certificates->ca, .token = *token};
  if (const auto written = write_private(path, kubeconfig(access, kDemoNamespace)); !written) {
    return failed(written.error());
  }
  print_welcome(options, path, access.port);
  real.on_signal([&](int) { real.stop(); });
  int code = 0;
  try {
    real.run();
    fmt::print("\nended\n");
  } catch (const std::exception& error) {
    fmt::print(stderr, "davit-sim serve: the simulation failed: {}\n", error.what());
    code = 1;
  }
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  return code;
}

}  // namespace

void add_serve_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("serve", "a simulated cluster with Davit in it, for kubectl");
  command->add_option("--speed", options->speed, "simulated seconds per second; 0: paused")
      ->check(CLI::Range(0.0, 10'000.0))
      ->capture_default_str();
  command->add_option("--port", options->port, "of 127.0.0.1; 0: a free one")
      ->capture_default_str();
  command->add_option("--kubeconfig", options->kubeconfig,
                      "where to write it; default: in a new private folder");
  command->add_option("--seed", options->demo.seed, "of everything that is chance")
      ->capture_default_str();
  command->add_option("--workers", options->demo.workers, "Kubernetes nodes")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--block-nodes", options->demo.block_nodes, "in namespace hiero")
      ->check(CLI::Range(0, 1000))
      ->capture_default_str();
  command->callback([options, &exit_code] { exit_code = serve(*options); });
}

}  // namespace davit::sim
