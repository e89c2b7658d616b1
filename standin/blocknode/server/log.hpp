// The server's log: java.util.logging's text form, one line per record, on standard error.
#pragma once

#include "standin/blocknode/model/types.hpp"

namespace davit::standin {

// "2026-08-22 12:00:00.123Z INFO    [class method] text"
void write_log(const LogLine& line);

}  // namespace davit::standin
