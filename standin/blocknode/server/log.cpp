#include "standin/blocknode/server/log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

namespace davit::standin {

void write_log(const LogLine& line) {
  const auto now = std::chrono::system_clock::now();
  const auto millis =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  const char* level = line.level == LogLevel::kInfo      ? "INFO"
                      : line.level == LogLevel::kWarning ? "WARNING"
                                                         : "SEVERE";
  const std::string text = fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03}Z {:<7} [{}] {}\n",
                                       fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                                       millis, level, line.source, line.text);
  (void)!write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace davit::standin
