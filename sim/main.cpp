// davit-sim: the simulated cluster as a program.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "sim/life/run_command.hpp"
#include "sim/scenario/scenario_command.hpp"
#include "sim/serve/serve_command.hpp"

int main(int argc, char** argv) {
  CLI::App app{"A simulated Kubernetes cluster with Davit in it.", "davit-sim"};
  app.require_subcommand(1);
  int code = 0;
  davit::sim::add_run_command(app, code);
  davit::sim::add_acts_command(app, code);
  davit::sim::add_scenario_command(app, code);
  davit::sim::add_serve_command(app, code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "davit-sim: {}\n", error.what());
    return 1;
  }
  return code;
}
