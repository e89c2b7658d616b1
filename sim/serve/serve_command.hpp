// davit-sim serve: a simulated cluster with Davit in it, answering kubectl over HTTPS.
//
//   CLI::App app; add_serve_command(app, exit_code); app.parse(argc, argv);
//
// Runs until SIGINT or SIGTERM, on the calling thread. Exit code 0 then; 1 when it cannot start.
#pragma once

namespace CLI {
class App;
}

namespace davit::sim {

void add_serve_command(CLI::App& app, int& exit_code);

}  // namespace davit::sim
