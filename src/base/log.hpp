// Structured logging: a message and fields, one line each, as logfmt or JSON.
//
//   Logger log(LogConfig{.format = LogFormat::kJson}, clock);
//   Logger node_log = log.with({{"kind", "BlockNode"}, {"object", key}});
//   node_log.warn("the node does not answer", {{"error", error}, {"attempt", 3}});
//
//   time=2026-01-01T00:00:00.000000Z level=warn msg="the node does not answer" kind=BlockNode …
//
// A Logger is a cheap value that shares its sink; no global state. One thread. A message is a
// constant sentence; what varies goes into fields. Fields never carry secrets: Secret<T> prints
// stars. Never fails: what cannot be written is lost.
#pragma once

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/names.hpp"
#include "base/result.hpp"
#include "base/secret.hpp"

namespace davit {

enum class LogLevel { kDebug, kInfo, kWarn, kError, kOff };
enum class LogFormat { kLogfmt, kJson };

[[nodiscard]] std::string_view to_string(LogLevel level);
// "debug", "info", "warn", "error", "off"; kInvalid otherwise.
[[nodiscard]] Result<LogLevel> parse_log_level(std::string_view text);

struct LogField {
  std::string key;
  std::string value;
  bool bare = false;  // a JSON number or literal: not quoted in JSON

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, bool v) : key(k), value(v ? "true" : "false"), bare(true) {}
  LogField(std::string_view k, std::integral auto v)
      : key(k), value(std::to_string(v)), bare(true) {}
  LogField(std::string_view k, double v);
  LogField(std::string_view k, Duration v);  // seconds
  LogField(std::string_view k, const Error& v) : key(k), value(v.describe()) {}
  LogField(std::string_view k, const ObjectKey& v) : key(k), value(v.to_string()) {}
  template <typename Tag>
  LogField(std::string_view k, const StrongString<Tag>& v) : key(k), value(v.value) {}
  template <typename T>
  LogField(std::string_view k, const Secret<T>&) : key(k), value(kStars) {}
};

using LogFields = std::vector<LogField>;

struct LogConfig {
  LogLevel level = LogLevel::kInfo;
  LogFormat format = LogFormat::kLogfmt;
  std::function<void(std::string_view line)> sink =
      {};  // one line without its end; empty: standard error
};

class Logger {
 public:
  Logger(LogConfig config, const Clock& clock);  // the clock must outlive all copies
  // Says nothing: for tests and defaults.
  [[nodiscard]] static Logger silent();

  // The same sink, with these fields on each line.
  [[nodiscard]] Logger with(LogFields fields) const;

  [[nodiscard]] bool enabled(LogLevel level) const;
  void set_level(LogLevel level);  // of all that share the sink
  void log(LogLevel level, std::string_view message, const LogFields& fields = {}) const;
  void debug(std::string_view message, const LogFields& fields = {}) const {
    log(LogLevel::kDebug, message, fields);
  }
  void info(std::string_view message, const LogFields& fields = {}) const {
    log(LogLevel::kInfo, message, fields);
  }
  void warn(std::string_view message, const LogFields& fields = {}) const {
    log(LogLevel::kWarn, message, fields);
  }
  void error(std::string_view message, const LogFields& fields = {}) const {
    log(LogLevel::kError, message, fields);
  }

 private:
  struct Shared;
  explicit Logger(std::shared_ptr<Shared> shared) : shared_(std::move(shared)) {}
  std::shared_ptr<Shared> shared_;
  LogFields fields_;
};

}  // namespace davit
