#include "base/log.hpp"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <algorithm>

namespace davit {

struct Logger::Shared {
  LogLevel level = LogLevel::kOff;
  LogFormat format = LogFormat::kLogfmt;
  std::function<void(std::string_view)> sink;
  const Clock* clock = nullptr;
};

namespace {

std::function<void(std::string_view)> standard_error() {
  auto logger =
      std::make_shared<spdlog::logger>("davit", std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger->set_pattern("%v");
  logger->set_level(spdlog::level::trace);
  logger->flush_on(spdlog::level::trace);
  return [logger](std::string_view line) {
    logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
  };
}

// A JSON string, quotes included. Bytes above 0x7f pass: our text is UTF-8.
void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

bool needs_quotes(std::string_view text) {
  return text.empty() || std::ranges::any_of(text, [](unsigned char c) {
           return c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f;
         });
}

void append(std::string& out, LogFormat format, std::string_view key, std::string_view value,
            bool bare) {
  if (format == LogFormat::kJson) {
    out += out.empty() ? '{' : ',';
    append_quoted(out, key);
    out += ':';
    if (bare) {
      out += value;
    } else {
      append_quoted(out, value);
    }
    return;
  }
  if (!out.empty()) out += ' ';
  out += key;
  out += '=';
  if (needs_quotes(value)) {
    append_quoted(out, value);
  } else {
    out += value;
  }
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
    case LogLevel::kOff:
      return "off";
  }
  return "off";
}

Result<LogLevel> parse_log_level(std::string_view text) {
  for (const LogLevel level :
       {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarn, LogLevel::kError, LogLevel::kOff}) {
    if (to_string(level) == text) return level;
  }
  return fail(Code::kInvalid,
              fmt::format("\"{}\" is not a log level: debug, info, warn, error, off", text));
}

LogField::LogField(std::string_view k, double v) : key(k), value(fmt::format("{}", v)) {
  bare = value.find_first_not_of("-+.e0123456789") == std::string::npos;  // not nan, inf
}

LogField::LogField(std::string_view k, Duration v)
    : LogField(k, std::chrono::duration<double>(v).count()) {}

Logger::Logger(LogConfig config, const Clock& clock) : shared_(std::make_shared<Shared>()) {
  shared_->level = config.level;
  shared_->format = config.format;
  shared_->sink = config.sink ? std::move(config.sink) : standard_error();
  shared_->clock = &clock;
}

Logger Logger::silent() { return Logger(std::make_shared<Shared>()); }

Logger Logger::with(LogFields fields) const {
  Logger child = *this;
  for (LogField& field : fields) child.fields_.push_back(std::move(field));
  return child;
}

bool Logger::enabled(LogLevel level) const {
  return level >= shared_->level && level != LogLevel::kOff && shared_->sink != nullptr;
}

void Logger::set_level(LogLevel level) { shared_->level = level; }

void Logger::log(LogLevel level, std::string_view message, const LogFields& fields) const {
  if (!enabled(level)) return;
  std::string line;
  const LogFormat format = shared_->format;
  append(line, format, "time", format_micro_time(shared_->clock->wall()), false);
  append(line, format, "level", to_string(level), false);
  append(line, format, "msg", message, false);
  for (const LogFields* some : {&fields_, &fields}) {
    for (const LogField& field : *some) append(line, format, field.key, field.value, field.bare);
  }
  if (format == LogFormat::kJson) line += '}';
  shared_->sink(line);
}

}  // namespace davit
