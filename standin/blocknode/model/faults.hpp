// Faults a test asks for, from the environment (STANDIN_…) and from a control file. Pure.
//
// Control file: one fault per line, `name` or `name=value`, `#` starts a comment. `name=off` takes
// back what the environment asked for. The table of names is in faults.cpp and in
// standin/README.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "standin/blocknode/model/settings.hpp"

namespace davit::standin {

struct Faults {
  bool crash_on_start = false;               // exit 1 before the ports open
  bool crash = false;                        // exit 1 now
  bool fatal = false;                        // a plugin reports a fatal error: orderly stop, exit 0
  bool hang_in_scan = false;                 // never ready; goes on when taken back
  std::int64_t slow_scan_seconds = 0;        // the scan takes this much longer
  bool unhealthy = false;                    // 503 on the health port
  std::int64_t unhealthy_after_seconds = 0;  // the same, this long after RUNNING
  bool stall_ingest = false;                 // publishers are accepted, nothing is acknowledged
  std::optional<std::uint64_t> full_disk_bytes;  // the live tree cannot grow past this
  std::int64_t slow_metrics_millis = 0;  // a scrape takes this long (so that a second gets 429)

  bool operator==(const Faults&) const = default;
};

// Unknown or malformed lines are put into `complaints`.
Faults read_faults(const Environment& environment, std::string_view control_file,
                   std::vector<std::string>& complaints);

}  // namespace davit::standin
