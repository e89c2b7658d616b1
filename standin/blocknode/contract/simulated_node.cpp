#include "standin/blocknode/contract/simulated_node.hpp"

#include <algorithm>

#include "standin/blocknode/contract/ports.hpp"
#include "standin/blocknode/model/subscription.hpp"

namespace davit::standin {
namespace {

namespace api = org::hiero::block::api;
using std::chrono::seconds;
using Service = sim::Server::Service;

constexpr const char* kName = "hiero/bn1";

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
}

HttpResult scraped(const Result<std::string>& answer) {
  if (answer) return {.status = 200, .head = {}, .body = *answer};
  if (answer.error().code() != Code::kTooManyRequests) return {};
  const auto after = answer.error().retry_after().value_or(std::chrono::milliseconds(0));
  return {
      .status = 429,
      .head = "Retry-After: " + std::to_string(after / std::chrono::milliseconds(1000)) + "\r\n",
      .body = {}};
}

}  // namespace

SimulatedNode::SimulatedNode() {
  rig_.fleet.listen([this](const std::string&, const LogLine& line) {
    log_ += (line.level == LogLevel::kSevere ? "SEVERE " : "") + line.text + "\n";
  });
}

io::Deadline SimulatedNode::soon() { return io::Deadline::after(rig_.loop, seconds(5)); }

void SimulatedNode::run(io::Task<void> task) {
  bool done = false;
  const Monotonic end = rig_.loop.now() + std::chrono::minutes(1);
  io::Scope scope(rig_.loop);
  scope.spawn([](io::Task<void> inner, bool& flag) -> io::Task<void> {
    co_await std::move(inner);
    flag = true;
  }(std::move(task), done));
  while (!done && rig_.loop.step(end)) {
  }
}

// ---- what clients see ----

sim::Server* SimulatedNode::at(const std::string& address, Service service) const {
  sim::Server* server = rig_.fleet.server(kName);
  return server != nullptr && server->serves(port_of(address), service) ? server : nullptr;
}

HttpResult SimulatedNode::http(std::uint16_t port, const std::string& path,
                               const std::string& method) {
  if (method != "GET") throw Skip{"the simulator has no wire to send " + method + " over"};
  const std::string address = ":" + std::to_string(port);
  if (at(address, Service::kMetrics) != nullptr) {
    return scraped(ask(rig_.fleet.metrics({target_.host, port}, soon())));
  }
  sim::Server* server = at(address, Service::kHealth);
  if (server == nullptr) return {};
  HttpReply reply = server->model().health(path, server->time());
  return {.status = reply.status, .head = {}, .body = std::move(reply.body)};
}

std::pair<HttpResult, HttpResult> SimulatedNode::scrape_twice() {
  std::pair<HttpResult, HttpResult> out;
  const auto scrape = [](SimulatedNode& node, HttpResult& result) -> io::Task<void> {
    result = scraped(
        co_await node.probe().metrics({node.target_.host, node.target_.metrics}, node.soon()));
  };
  io::Scope scope(rig_.loop);
  scope.spawn(scrape(*this, out.first));
  rig_.advance(std::chrono::milliseconds(200));
  scope.spawn(scrape(*this, out.second));
  rig_.advance(seconds(6));
  return out;
}

std::optional<api::ServerStatusResponse> SimulatedNode::server_status(const std::string& address) {
  sim::Server* server = at(address, Service::kStatus);
  if (server == nullptr) return std::nullopt;
  return server->model().server_status();
}

std::optional<api::ServerStatusDetailResponse> SimulatedNode::server_detail(
    const std::string& address) {
  sim::Server* server = at(address, Service::kStatus);
  if (server == nullptr) return std::nullopt;
  return server->model().server_status_detail(server->time());
}

std::optional<api::BlockResponse> SimulatedNode::get_block(const std::string& address,
                                                           const api::BlockRequest& request) {
  sim::Server* server = at(address, Service::kAccess);
  if (server == nullptr) return std::nullopt;
  return server->model().get_block(request);
}

Node::Subscribed SimulatedNode::subscribe(const std::string& address,
                                          const api::SubscribeStreamRequest& request) {
  Subscribed out;
  sim::Server* server = at(address, Service::kSubscribe);
  if (server == nullptr) return out;
  Subscription subscription(request);
  while (!subscription.is_over()) {
    auto messages = subscription.next(server->model());
    if (messages.empty()) break;
    std::ranges::move(messages, std::back_inserter(out));
  }
  return out;
}

int SimulatedNode::call_unknown_method(const std::string& /*at*/) {
  throw Skip{"the simulator has no wire to send an unknown method over"};
}

// ---- the process ----

void SimulatedNode::start(const Variables& variables) {
  environment_.clear();
  environment_.insert(variables.begin(), variables.end());
  log_.clear();
  set_faults("");
  if (rig_.pod.empty()) {
    rig_.boot(environment_);
  } else {
    rig_.set_environment(rig_.pod, environment_);
    rig_.restart_server();
  }
  Target usual;
  usual.host = rig_.health().host;
  target_ = with_ports(std::move(usual), variables);
}

void SimulatedNode::terminate() { rig_.fleet.terminate(rig_.at("server")); }

std::optional<int> SimulatedNode::exit_code() { return rig_.look().exit_code; }

void SimulatedNode::set_faults(const std::string& lines) {
  std::vector<std::string> complaints;
  rig_.fleet.set_faults(kName, read_faults(environment_, lines, complaints));
  if (!complaints.empty()) throw std::invalid_argument(complaints.front());
}

bool SimulatedNode::publish(unsigned count, seconds patience) {
  const auto stored = [&] {
    const auto last = rig_.truth().last;
    return last ? *last + 1 : 0;
  };
  const std::uint64_t goal = stored() + count;
  const Monotonic end = rig_.loop.now() + patience;
  while (stored() < goal && rig_.loop.now() < end) {
    // One second's work each time: never a block too many.
    rig_.fleet.publish(kName, static_cast<unsigned>(std::min<std::uint64_t>(10, goal - stored())));
    rig_.advance(std::chrono::milliseconds(900));
    rig_.fleet.publish(kName, 0);
  }
  return stored() == goal;
}

// ---- its files ----

std::string SimulatedNode::base() const { return std::string(blocknode::kBaseDir); }

SimulatedNode::Place SimulatedNode::place(const std::string& path) const {
  const std::string full = base() + "/" + path;
  for (const blocknode::VolumeLayout& layout : blocknode::kVolumes) {
    std::string mount(layout.mount);
    constexpr std::string_view kVersion = "{version}";
    if (const auto found = mount.find(kVersion); found != std::string::npos) {
      mount.replace(found, kVersion.size(), "0.40.1");
    }
    if (!full.starts_with(mount + "/")) continue;
    Volume* files = rig_.fleet.files(kName, std::string(layout.suffix));
    if (files != nullptr) return {files, full.substr(mount.size())};
  }
  throw std::invalid_argument("on no volume: " + path);
}

std::optional<std::uint64_t> SimulatedNode::file_size(const std::string& path) {
  const Place found = place(path);
  const auto size = found.files->size(found.path);
  if (!size) return std::nullopt;
  return *size;
}

std::string SimulatedNode::read_file(const std::string& path) {
  const Place found = place(path);
  return found.files->read(found.path).value_or("");
}

void SimulatedNode::write_file(const std::string& path, const std::string& bytes) {
  const Place found = place(path);
  if (!found.files->write(found.path, bytes)) throw std::runtime_error("cannot write " + path);
}

bool SimulatedNode::is_empty(const std::string& folder) {
  const Place found = place(folder);
  const auto entries = found.files->list(found.path);
  return entries && entries->empty();
}

}  // namespace davit::standin
