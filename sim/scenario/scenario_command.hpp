// davit-sim scenario: scenario files, as written, or with a crash at each write or turn.
#pragma once

namespace CLI {
class App;
}

namespace davit::sim {

void add_scenario_command(CLI::App& app, int& exit_code);

}  // namespace davit::sim
