// davit: the operator, the agents it runs beside operands, and the generator of its manifests.
#include <CLI/CLI.hpp>

#include "app/agent_command.hpp"
#include "app/generate_command.hpp"
#include "app/operator_command.hpp"
#include "app/version.hpp"

int main(int argc, char** argv) {
  CLI::App app("Runs Hiero Block Nodes on Kubernetes through their whole life.", "davit");
  app.set_version_flag("--version", std::string(davit::app::kVersion));
  app.require_subcommand(1);
  int exit_code = 0;
  davit::app::add_operator_command(app, exit_code);
  davit::app::add_agent_command(app, exit_code);
  davit::app::add_generate_command(app, exit_code);
  CLI11_PARSE(app, argc, argv);
  return exit_code;
}
