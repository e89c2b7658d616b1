// `davit agent watch`: runs the agent of a Block Node's pod until SIGTERM.
#pragma once

#include <CLI/CLI.hpp>

namespace davit::app {

// Adds the subcommand to `app`; `exit_code` is set when it has run.
void add_agent_command(CLI::App& app, int& exit_code);

}  // namespace davit::app
