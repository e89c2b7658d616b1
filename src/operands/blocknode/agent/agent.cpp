#include "operands/blocknode/agent/agent.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "io/connect.hpp"
#include "io/scope.hpp"

namespace davit::blocknode {

namespace {

std::optional<StartReport> read_start_report(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) return std::nullopt;
  std::ostringstream bytes;
  bytes << in.rdbuf();
  const auto object = wire::parse_json_object(bytes.str());
  if (!object) return std::nullopt;
  return start_report_from(*object);
}

}  // namespace

Agent::Agent(io::AsioLoop& loop, AgentOptions options)
    : loop_(&loop), options_(std::move(options)) {
  report_.ports = options_.ports;
}

io::Task<void> Agent::run() {
  io::Scope scope(*loop_);
  scope.spawn(watch_ports());
  scope.spawn(watch_volumes());
  co_await scope.join();
}

io::Task<void> Agent::watch_ports() {
  for (;;) {
    for (PortReport& port : report_.ports) {
      const Status spoken = co_await io::can_connect(
          *loop_, "127.0.0.1", port.port, io::Deadline::after(*loop_, std::chrono::seconds(2)));
      port.speaks = spoken.has_value();
    }
    ports_known_ = true;
    co_await io::sleep_for(*loop_, options_.port_period);
  }
}

io::Task<void> Agent::watch_volumes() {
  for (;;) {
    std::vector<VolumeReport> volumes;
    for (const MountedVolume& volume : options_.volumes) {
      volumes.push_back(check_volume(volume));
      co_await io::yield(*loop_);
    }
    report_.volumes = std::move(volumes);
    co_await io::sleep_for(*loop_, options_.volume_period);
  }
}

std::string Agent::what_is_not_ready() const {
  std::string lines;
  if (!ports_known_ || report_.volumes.empty()) lines += "the first round of checks is not done\n";
  for (const VolumeReport& volume : report_.volumes) {
    if (!volume.writable) {
      lines += fmt::format("volume {} takes no write: {}\n", volume.role, volume.error);
    }
  }
  for (const PortReport& port : report_.ports) {
    if (!port.speaks) lines += fmt::format("port {} ({}) is closed\n", port.name, port.port);
  }
  return lines;
}

AgentReport Agent::report() const {
  AgentReport report = report_;
  report.start = read_start_report(options_.start_report);
  return report;
}

io::HttpResponse Agent::answer(const io::HttpRequest& request) const {
  if (request.target == "/healthz") return io::text_response(200, "ok\n");
  if (request.target == "/readyz") {
    const std::string lines = what_is_not_ready();
    return lines.empty() ? io::text_response(200, "ok\n") : io::text_response(503, lines);
  }
  if (request.target == "/report") {
    return {.status = 200,
            .headers = {{"Content-Type", "application/json"}},
            .body = wire::pretty(to_json(report()))};
  }
  return io::text_response(404, "there are /healthz, /readyz and /report\n");
}

}  // namespace davit::blocknode
