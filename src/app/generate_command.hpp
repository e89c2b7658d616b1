// `davit generate`: writes CRDs, RBAC and reference into a tree, or checks that they are up to
// date.
#pragma once

#include <CLI/CLI.hpp>

namespace davit::app {

void add_generate_command(CLI::App& app, int& exit_code);

}  // namespace davit::app
