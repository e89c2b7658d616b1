// `blocknode-standin serve`: the whole server, from environment to exit code.
#pragma once

namespace davit::standin {

// Reads the process environment; returns the exit code (143 after SIGTERM).
int serve();

}  // namespace davit::standin
