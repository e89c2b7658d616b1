// NodeProbe of the fleet: what Davit hears when it asks a node.
#include <fmt/format.h>

#include "io/sync.hpp"
#include "io/task.hpp"
#include "sim/blocknode/fleet_impl.hpp"

namespace davit::sim {

namespace {

namespace api = org::hiero::block::api;
using Service = Server::Service;

constexpr std::string_view kNonsense = "<!doctype html><title>It works!</title>";

std::unexpected<Error> refused(const blocknode::Address& address) {
  return fail(Code::kUnavailable,
              fmt::format("connect to {}:{}: Connection refused", address.host, address.port));
}

std::unexpected<Error> not_a_message() {
  return fail(Code::kInvalid, "the answer is not the message that was asked for");
}

// One scrape of a metrics port, from its first byte to its last.
class Scrape {
 public:
  explicit Scrape(std::shared_ptr<int> count) : count_(std::move(count)) { ++*count_; }
  Scrape(const Scrape&) = delete;
  Scrape& operator=(const Scrape&) = delete;
  ~Scrape() { --*count_; }

 private:
  std::shared_ptr<int> count_;
};

std::uint64_t mixed(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15U;
  state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
  state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
  return state ^ (state >> 31U);
}

}  // namespace

Duration Fleet::Impl::quick_answer() {
  return std::chrono::microseconds(1000 + mixed(++draws_) % 4000);
}

Duration Fleet::Impl::slow_answer() {
  return std::chrono::milliseconds(1000 + mixed(++draws_) % 7000);
}

Result<SimulatedPod*> Fleet::Impl::at(const blocknode::Address& address) const {
  const auto found = addresses_.find(address.host);
  if (found == addresses_.end() || !found->second->is_alive()) return refused(address);
  return found->second;
}

Fleet::Lie Fleet::Impl::lie_at(const blocknode::Address& address) const {
  const auto pod = at(address);
  if (!pod) return Lie::kNone;
  const auto node = nodes.find((*pod)->node);
  return node == nodes.end() ? Lie::kNone : node->second.lie;
}

Result<Server*> Fleet::Impl::server_at(const blocknode::Address& address, Service service) const {
  const auto pod = at(address);
  if (!pod) return fail(pod.error());
  Server* server = (*pod)->server();
  if (server == nullptr) return refused(address);
  if (lie_at(address) == Lie::kHealthyWhileDead && service != Service::kHealth) {
    return refused(address);
  }
  if (server->serves(address.port, service)) return server;
  if (!server->accepts(address.port)) return refused(address);
  const bool grpc = service != Service::kHealth && service != Service::kMetrics;
  if (grpc && server->speaks_grpc(address.port)) {
    return fail(Code::kUnsupported, "the server does not know this method");
  }
  return fail(Code::kUnavailable, "the connection was closed before the answer was whole");
}

io::Task<Status> Fleet::Impl::travel(blocknode::Address to, io::Deadline deadline, bool to_server) {
  const auto pod = at(to);
  const auto node = pod ? nodes.find((*pod)->node) : nodes.end();
  const bool known = node != nodes.end();
  const bool slow = known && to_server && node->second.lie == Lie::kSlow;
  const Monotonic arrives = loop.now() + (slow ? slow_answer() : quick_answer());
  const bool silent = !pod || (known && node->second.unreachable);
  if (silent || deadline.at < arrives) {
    co_await io::sleep_until(loop, deadline.at);
    co_return fail(Code::kDeadlineExceeded, fmt::format("no answer from {} in time", to.host));
  }
  co_await io::sleep_until(loop, arrives);
  co_return Status();
}

io::Task<Result<blocknode::HealthReply>> Fleet::health(blocknode::Address health,
                                                       io::Deadline deadline) {
  if (Status way = co_await impl_->travel(health, deadline, true); !way)
    co_return fail(way.error());
  const Lie lie = impl_->lie_at(health);
  if (lie == Lie::kHealthyWhileDead) {
    const auto pod = impl_->at(health);
    if (pod && (*pod)->server() != nullptr) co_return blocknode::HealthReply{200, "OK"};
  }
  const auto server = impl_->server_at(health, Service::kHealth);
  if (!server) co_return fail(server.error());
  if (lie == Lie::kGarbage) co_return blocknode::HealthReply{200, std::string(kNonsense)};
  auto reply = (*server)->model().health("/healthz/readyz", (*server)->time());
  co_return blocknode::HealthReply{static_cast<unsigned>(reply.status), std::move(reply.body)};
}

io::Task<Result<blocknode::ServerStatus>> Fleet::server_status(blocknode::Address grpc,
                                                               io::Deadline deadline) {
  if (Status way = co_await impl_->travel(grpc, deadline, true); !way) co_return fail(way.error());
  const auto server = impl_->server_at(grpc, Service::kStatus);
  if (!server) co_return fail(server.error());
  const Lie lie = impl_->lie_at(grpc);
  if (lie == Lie::kGarbage) co_return not_a_message();
  if (lie == Lie::kEmptyStatus) co_return blocknode::ServerStatus{};
  const auto reply = (*server)->model().server_status();
  const auto height = [](std::uint64_t block) {
    return block == standin::kNone ? std::nullopt : std::optional(block);
  };
  co_return blocknode::ServerStatus{height(reply.first_available_block()),
                                    height(reply.last_available_block())};
}

io::Task<Result<blocknode::ServerDetail>> Fleet::server_detail(blocknode::Address grpc,
                                                               io::Deadline deadline) {
  if (Status way = co_await impl_->travel(grpc, deadline, true); !way) co_return fail(way.error());
  const auto server = impl_->server_at(grpc, Service::kStatus);
  if (!server) co_return fail(server.error());
  const Lie lie = impl_->lie_at(grpc);
  if (lie == Lie::kGarbage) co_return not_a_message();
  const auto reply = (*server)->model().server_status_detail((*server)->time());
  blocknode::ServerDetail detail;
  detail.version = (*server)->model().settings().version().text();
  if (lie == Lie::kOldVersion) detail.version = "0.30.0";
  for (const auto& plugin : reply.version_information().installed_plugin_versions()) {
    detail.plugins.push_back(plugin.plugin_id());
  }
  co_return detail;
}

io::Task<Result<blocknode::BlockReply>> Fleet::block(blocknode::Address grpc, std::uint64_t number,
                                                     io::Deadline deadline) {
  if (Status way = co_await impl_->travel(grpc, deadline, true); !way) co_return fail(way.error());
  const auto server = impl_->server_at(grpc, Service::kAccess);
  if (!server) co_return fail(server.error());
  if (impl_->lie_at(grpc) == Lie::kGarbage) co_return not_a_message();
  api::BlockRequest request;
  request.set_block_number(number);
  const auto reply = (*server)->model().get_block(request);
  if (reply.status() != api::BlockResponse::SUCCESS) {
    const bool absent = reply.status() == api::BlockResponse::NOT_FOUND ||
                        reply.status() == api::BlockResponse::NOT_AVAILABLE;
    co_return fail(
        absent ? Code::kNotFound : Code::kUnavailable,
        fmt::format("getBlock answers {}", api::BlockResponse::Code_Name(reply.status())));
  }
  co_return blocknode::BlockReply{.number = standin::block_number(reply.block()).value_or(number),
                                  .bytes = reply.ByteSizeLong(),
                                  .items = static_cast<std::uint64_t>(reply.block().items_size())};
}

io::Task<Result<std::string>> Fleet::metrics(blocknode::Address metrics, io::Deadline deadline) {
  if (Status way = co_await impl_->travel(metrics, deadline, true); !way) {
    co_return fail(way.error());
  }
  auto server = impl_->server_at(metrics, Service::kMetrics);
  if (!server) co_return fail(server.error());
  if (*(*server)->scrapes > 0) {
    co_return fail(Error(Code::kTooManyRequests, "GET /metrics: somebody else is asking")
                       .with_retry_after(std::chrono::seconds(3)));
  }
  const Scrape scrape((*server)->scrapes);
  const std::chrono::milliseconds delay((*server)->model().faults().slow_metrics_millis);
  if (delay.count() > 0) {
    const Monotonic answered = impl_->loop.now() + delay;
    if (deadline.at < answered) {
      co_await io::sleep_until(impl_->loop, deadline.at);
      co_return fail(Code::kDeadlineExceeded, "GET /metrics: no answer in time");
    }
    co_await io::sleep_until(impl_->loop, answered);
    server = impl_->server_at(metrics, Service::kMetrics);
    if (!server) co_return fail(server.error());
  }
  if (impl_->lie_at(metrics) == Lie::kGarbage) co_return std::string(kNonsense);
  co_return (*server)->model().metrics_text((*server)->time());
}

io::Task<Status> Fleet::speaks(blocknode::Address port, io::Deadline deadline) {
  if (Status way = co_await impl_->travel(port, deadline, false); !way) co_return way;
  const auto pod = impl_->at(port);
  if (!pod) co_return fail(pod.error());
  const SimulatedAgent* agent = (*pod)->agent();
  if (agent != nullptr && agent->port() == port.port) co_return Status();
  const Server* server = (*pod)->server();
  const bool dead = impl_->lie_at(port) == Lie::kHealthyWhileDead;
  if (server == nullptr || !server->accepts(port.port) ||
      (dead && !server->serves(port.port, Service::kHealth))) {
    co_return refused(port);
  }
  co_return Status();
}

io::Task<Result<std::string>> Fleet::agent_report(blocknode::Address agent, io::Deadline deadline) {
  if (Status way = co_await impl_->travel(agent, deadline, false); !way)
    co_return fail(way.error());
  const auto pod = impl_->at(agent);
  if (!pod) co_return fail(pod.error());
  SimulatedAgent* there = (*pod)->agent();
  if (there == nullptr || there->port() != agent.port) co_return refused(agent);
  co_return there->report((*pod)->server());
}

}  // namespace davit::sim
