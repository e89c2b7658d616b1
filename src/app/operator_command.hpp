// `davit operator`: runs the operator until SIGTERM.
#pragma once

#include <CLI/CLI.hpp>

namespace davit::app {

void add_operator_command(CLI::App& app, int& exit_code);

}  // namespace davit::app
