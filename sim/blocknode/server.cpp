#include "sim/blocknode/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "standin/blocknode/model/installed.hpp"

namespace davit::sim {

namespace {

constexpr auto kStopTime = std::chrono::milliseconds(600);

struct Placement {
  Server::Service service;
  const char* plugin;
  const char* setting;  // of a port of its own
};

constexpr Placement kGrpc[] = {
    {Server::Service::kPublish, "stream-publisher", "PRODUCER_PORT"},
    {Server::Service::kSubscribe, "stream-subscriber", "SUBSCRIBER_PORT"},
    {Server::Service::kAccess, "block-access-service", "BLOCK_ACCESS_PORT"},
    {Server::Service::kStatus, "server-status", "SERVER_STATUS_PORT"},
};

std::uint16_t as_port(std::int64_t number) {
  return number >= 1024 && number <= 65535 ? static_cast<std::uint16_t>(number) : std::uint16_t{0};
}

}  // namespace

Server::Server(io::Loop& loop, const standin::Environment& environment,
               std::unique_ptr<Mounts> mounts)
    : loop_(&loop),
      mounts_(std::move(mounts)),
      settings_(standin::Settings::read(environment)),
      plugins_(standin::installed_plugins(settings_, *mounts_)),
      model_(settings_, plugins_, *mounts_, standin::timing_from(environment)) {
  main_port_ = as_port(settings_.number("SERVER_PORT"));
  for (const auto& [service, plugin, setting] : kGrpc) {
    if (!model_.has_plugin(plugin)) continue;
    ports_[static_cast<int>(service)] =
        as_port(settings_.number_if_set(setting).value_or(main_port_));
  }
  if (model_.has_plugin("health")) {
    const std::uint16_t port = as_port(settings_.number("HEALTH_PORT"));
    // The gRPC listeners were there first: health cannot bind, and nothing but the log says so.
    const auto taken = std::ranges::find(ports_, port) != std::end(ports_);
    ports_[static_cast<int>(Service::kHealth)] = taken || port == main_port_ ? 0 : port;
  }
  ports_[static_cast<int>(Service::kMetrics)] = settings_.metrics_port();
  for (const std::string& plugin : plugins_) plugin_ids_.insert(standin::plugin_id(plugin));
}

Server::~Server() { loop_->cancel(wake_up_); }

void Server::start(const standin::Faults& faults) {
  model_.set_faults(faults, time());
  model_.start(time());
  settle();
}

void Server::set_faults(const standin::Faults& faults) {
  model_.set_faults(faults, time());
  settle();
}

void Server::terminate() {
  if (exit_code() || stops_at_) return;
  stops_at_ = loop_->now() + kStopTime;
  settle();
}

std::optional<Monotonic> Server::next() const {
  if (exit_code()) return std::nullopt;
  const standin::Time wish = model_.next_wakeup();
  std::optional<Monotonic> out = stops_at_;
  if (wish != standin::kNever && (!out || Monotonic{wish} < *out)) out = Monotonic{wish};
  return out;
}

void Server::log(standin::LogLine line) {
  if (listener_) listener_(line);
  if (line.level == standin::LogLevel::kSevere) last_words_ = std::move(line.text);
}

// All that is heard of a health port that the gRPC listeners have.
void Server::log_refused_listener() {
  if (refused_listener_told_ || !model_.health_open() || !model_.has_plugin("health")) return;
  if (port_of(Service::kHealth) != 0) return;
  refused_listener_told_ = true;
  log({standin::LogLevel::kSevere, "io.helidon.webserver.LoomServer startIt",
       fmt::format("Failed to start listener on port {}", settings_.number("HEALTH_PORT"))});
}

std::vector<standin::PublishReply> Server::settle() {
  std::vector<standin::PublishReply> replies;
  const Monotonic now = loop_->now();
  for (;;) {
    if (stops_at_ && now >= *stops_at_) model_.terminate();
    model_.tick(time());
    standin::Outputs outputs = model_.take_outputs();
    std::ranges::move(outputs.replies, std::back_inserter(replies));
    for (standin::LogLine& line : outputs.log) log(std::move(line));
    log_refused_listener();
    const auto wish = next();
    if (!wish || *wish > now) break;
  }
  const auto wish = next();
  if (wish == wakes_at_) return replies;
  loop_->cancel(wake_up_);
  wake_up_ = 0;
  wakes_at_ = wish;
  if (wish) {
    wake_up_ = loop_->call_at(*wish, [this] {
      wake_up_ = 0;
      wakes_at_.reset();
      settle();
    });
  }
  return replies;
}

std::uint16_t Server::port_of(Service service) const { return ports_[static_cast<int>(service)]; }

bool Server::is_open(Service service) const {
  if (exit_code() || model_.phase() == standin::Phase::kNotStarted) return false;
  switch (service) {
    case Service::kPublish:
    case Service::kSubscribe:
    case Service::kAccess:
    case Service::kStatus:
      return model_.grpc_open();
    case Service::kHealth:
      return model_.health_open();
    case Service::kMetrics:
      return true;
  }
  return false;
}

bool Server::speaks_grpc(std::uint16_t port) const {
  if (port == 0 || !is_open(Service::kStatus)) return false;
  // The main listener is there even when every service has moved away.
  return port == main_port_ || std::ranges::any_of(kGrpc, [&](const Placement& placement) {
           return port_of(placement.service) == port;
         });
}

bool Server::accepts(std::uint16_t port) const {
  if (speaks_grpc(port)) return true;
  for (int i = 0; i < static_cast<int>(std::size(ports_)); ++i) {
    if (port != 0 && ports_[i] == port && is_open(static_cast<Service>(i))) return true;
  }
  return false;
}

bool Server::serves(std::uint16_t port, Service service) const {
  return port != 0 && port_of(service) == port && is_open(service);
}

bool Server::serves_anywhere(Service service) const {
  return port_of(service) != 0 && is_open(service);
}

bool Server::is_up() const {
  if (model_.phase() != standin::Phase::kRunning || main_port_ == 0) return false;
  for (const auto& [service, plugin, setting] : kGrpc) {
    if (model_.has_plugin(plugin) && !serves_anywhere(service)) return false;
  }
  return serves_anywhere(Service::kHealth) && serves_anywhere(Service::kMetrics);
}

}  // namespace davit::sim
