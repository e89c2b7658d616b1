// davit-sim run: lives of seeds and of schedule files, judged; and what to do with one that fails.
#pragma once

namespace CLI {
class App;
}

namespace davit::sim {

void add_run_command(CLI::App& app, int& exit_code);
// Seed, schedule and act, in words: davit-sim acts.
void add_acts_command(CLI::App& app, int& exit_code);

}  // namespace davit::sim
