#include "standin/blocknode/server/serve.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string>

#include "standin/blocknode/model/installed.hpp"
#include "standin/blocknode/server/disk_volume.hpp"
#include "standin/blocknode/server/grpc_ports.hpp"
#include "standin/blocknode/server/http_loop.hpp"
#include "standin/blocknode/server/log.hpp"
#include "standin/blocknode/server/node_host.hpp"

namespace davit::standin {
namespace {

constexpr auto kFaultInterval = std::chrono::milliseconds(500);

Environment process_environment() {
  Environment out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (const auto equals = text.find('='); equals != std::string::npos) {
      out[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return out;
}

// The control file, read again when it changes.
class FaultFile {
 public:
  FaultFile(Environment environment, const Settings& settings)
      : environment_(std::move(environment)), path_(settings.base_dir() + "/logs/standin-faults") {
    if (const auto set = environment_.find("STANDIN_FAULTS_FILE"); set != environment_.end()) {
      path_ = set->second;
    }
  }

  Faults read() {
    std::vector<std::string> complaints;
    const std::string text = DiskVolume().read(path_).value_or("");
    const Faults faults = read_faults(environment_, text, complaints);
    if (text != text_) {
      for (const std::string& line : complaints) {
        write_log({LogLevel::kWarning, "standin faults", "Unknown fault: " + line});
      }
    }
    text_ = text;
    return faults;
  }

 private:
  Environment environment_;
  std::string path_;
  std::string text_;
};

class Server {
 public:
  Server()
      : environment_(process_environment()),
        settings_(Settings::read(environment_)),
        model_(settings_, installed_plugins(settings_, volume_), volume_,
               timing_from(environment_)),
        host_(model_, [this] { loop_.wake(); }),
        ports_(host_),
        fault_file_(environment_, settings_) {}

  int run() {
    apply_faults();
    host_.with([&](NodeModel& model) { model.start(host_.now()); });
    if (const auto code = exit_code()) return *code;
    if (const auto bound = loop_.listen(settings_.metrics_port(), metrics_handler()); !bound) {
      write_log({LogLevel::kSevere, "org.hiero.metrics.openmetrics.OpenMetricsHttpServer start",
                 "Failed to start metrics exporter: " + bound.error()});
      return 1;
    }
    while (!exit_code()) {
      loop_.run_once(pause());
      if (loop_.terminated()) host_.with([](NodeModel& model) { model.terminate(); });
      if (host_.now() >= next_fault_check_) apply_faults();
      host_.with([&](NodeModel& model) { model.tick(host_.now()); });
      open_ports();
    }
    return *exit_code();
  }

 private:
  std::optional<int> exit_code() {
    return host_.with([](NodeModel& model) { return model.exit_code(); });
  }

  void apply_faults() {
    next_fault_check_ = host_.now() + kFaultInterval;
    const Faults faults = fault_file_.read();
    host_.with([&](NodeModel& model) {
      if (faults != model.faults()) model.set_faults(faults, host_.now());
    });
  }

  std::chrono::milliseconds pause() {
    const Time wakeup = host_.with([](NodeModel& model) { return model.next_wakeup(); });
    const Time until = std::min(wakeup, next_fault_check_);
    return std::max(std::chrono::ceil<std::chrono::milliseconds>(until - host_.now()),
                    std::chrono::milliseconds(0));
  }

  void open_ports() {
    const auto [grpc, health] = host_.with([](NodeModel& model) {
      return std::pair(model.grpc_open(), model.health_open() && model.has_plugin("health"));
    });
    if (grpc && !std::exchange(grpc_opened_, true)) ports_.open();
    if (!health || std::exchange(health_opened_, true)) return;
    const std::int64_t port = settings_.number("HEALTH_PORT");
    const auto bound =
        loop_.listen(static_cast<std::uint16_t>(port), [this](const HttpLoop::Request& request) {
          const HttpReply reply =
              host_.with([&](NodeModel& model) { return model.health(request.path, host_.now()); });
          const bool json = request.path.starts_with("/statusz/") && reply.status == 200;
          return HttpLoop::Answer{.status = reply.status,
                                  .body = reply.body,
                                  .content_type = json ? "application/json" : "text/plain"};
        });
    if (!bound) {
      write_log(
          {LogLevel::kSevere, "io.helidon.webserver.LoomServer startIt",
           "Failed to start listener on port " + std::to_string(port) + ": " + bound.error()});
    }
  }

  HttpLoop::Handler metrics_handler() {
    return [this](const HttpLoop::Request& request) {
      if (request.being_answered > 0) {
        return HttpLoop::Answer{.status = 429, .headers = "Retry-After: 3\r\n"};
      }
      if (!request.path.starts_with("/metrics")) return HttpLoop::Answer{.status = 404};
      return host_.with([&](NodeModel& model) {
        return HttpLoop::Answer{
            .body = model.metrics_text(host_.now()),
            .content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8",
            .delay = std::chrono::milliseconds(model.faults().slow_metrics_millis)};
      });
    };
  }

  Environment environment_;
  Settings settings_;
  DiskVolume volume_;
  HttpLoop loop_;  // first of what has threads: it blocks the signals for all of them
  NodeModel model_;
  NodeHost host_;
  GrpcPorts ports_;
  FaultFile fault_file_;
  Time next_fault_check_{};
  bool grpc_opened_ = false;
  bool health_opened_ = false;
};

}  // namespace

int serve() {
  // A stopping server does not wait for its streams: neither does the real one.
  static auto* const server = new Server;
  const int code = server->run();
  _exit(code);
}

}  // namespace davit::standin
