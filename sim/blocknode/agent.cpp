#include "sim/blocknode/agent.hpp"

#include <algorithm>
#include <cstdlib>

namespace davit::sim {

namespace {

constexpr Duration kPortPeriod = std::chrono::seconds(5);
constexpr Duration kVolumePeriod = std::chrono::seconds(10);
// 4 KiB on the real disk.
constexpr std::string_view kPage = "page";
static_assert(kPage.size() * kDiskScale == 4096);

}  // namespace

SimulatedAgent::SimulatedAgent(io::Loop& loop, const std::vector<std::string>& arguments,
                               std::unique_ptr<Mounts> mounts)
    : loop_(&loop), mounts_(std::move(mounts)) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    const std::string& value = arguments[i + 1];
    const auto equals = value.find('=');
    const std::string name = value.substr(0, equals);
    const std::string rest = equals == std::string::npos ? "" : value.substr(equals + 1);
    const auto number = [](const std::string& text) {
      return static_cast<std::uint16_t>(std::strtoul(text.c_str(), nullptr, 10));
    };
    if (arguments[i] == "--port") port_ = number(value);
    if (arguments[i] == "--volume") volumes_.push_back({name, rest});
    if (arguments[i] == "--speaks") report_.ports.push_back({name, number(rest), false});
    if (arguments[i] == "--start-report") start_report_ = value;
  }
}

blocknode::VolumeReport SimulatedAgent::check(const RoleMount& volume) {
  blocknode::VolumeReport out{.role = volume.role};
  const Disk* disk = mounts_->disk_of(volume.path);
  if (disk == nullptr) {
    out.error = std::make_error_code(std::errc::no_such_file_or_directory).message();
    return out;
  }
  out.total_bytes = disk->total_bytes();
  out.available_bytes = disk->available_bytes();
  const std::string file = volume.path + "/.davit-write-test";
  const auto written = mounts_->write(file, kPage);
  (void)mounts_->remove(file);
  out.writable = written.has_value();
  if (!written) out.error = std::make_error_code(written.error()).message();
  return out;
}

void SimulatedAgent::look(const Server* server) {
  const Monotonic now = loop_->now();
  if (!ports_at_ || now - *ports_at_ >= kPortPeriod) {
    ports_at_ = now;
    for (blocknode::PortReport& port : report_.ports) {
      port.speaks = server != nullptr && server->accepts(port.port);
    }
  }
  if (!volumes_at_ || now - *volumes_at_ >= kVolumePeriod) {
    volumes_at_ = now;
    report_.volumes.clear();
    for (const RoleMount& volume : volumes_) report_.volumes.push_back(check(volume));
  }
}

bool SimulatedAgent::is_ready(const Server* server) {
  look(server);
  return !report_.volumes.empty() &&
         std::ranges::all_of(report_.volumes, &blocknode::VolumeReport::writable) &&
         std::ranges::all_of(report_.ports, &blocknode::PortReport::speaks);
}

std::string SimulatedAgent::report(const Server* server) {
  look(server);
  report_.start.reset();
  if (const auto text = mounts_->read(start_report_)) {
    if (const auto object = wire::parse_json_object(*text)) {
      report_.start = blocknode::start_report_from(*object);
    }
  }
  return wire::canonical(blocknode::to_json(report_));
}

}  // namespace davit::sim
