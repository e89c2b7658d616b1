// Small types shared by the whole model: block numbers, virtual time, log lines, versions.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace davit::standin {

using BlockNumber = std::uint64_t;

// "No block" on the wire and in status replies (facts/blocknode.md section 0).
inline constexpr BlockNumber kNone = std::numeric_limits<BlockNumber>::max();

// Time since an origin the driver chooses: a steady clock in the server, virtual in the simulator.
using Time = std::chrono::nanoseconds;
inline constexpr Time kNever = Time::max();

enum class LogLevel { kInfo, kWarning, kSevere };

struct LogLine {
  LogLevel level;
  std::string source;  // "Class method", as java.util.logging prints it
  std::string text;
};

struct Version {
  int major = 0;
  int minor = 0;
  int patch = 0;
  std::string pre;  // after the dash, "SNAPSHOT" or "rc1"; not compared

  // Missing or malformed parts read as zero: any version is accepted.
  static Version parse(std::string_view text);
  std::string text() const;
  bool at_least(std::string_view other) const;
};

}  // namespace davit::standin
