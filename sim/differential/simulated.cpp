#include "sim/differential/simulated.hpp"

#include <optional>

#include "io/scope.hpp"
#include "sim/api_server.hpp"
#include "sim/controllers/cluster.hpp"
#include "sim/serve/gateway.hpp"
#include "sim/virtual_loop.hpp"

namespace davit::sim::differential {

namespace {

constexpr const char* kToken = "differential";

// As kubectl meets the simulator: through the gateway. A watch of plain objects goes straight to
// the server, because the gateway leaves its clients' timeouts to their own clock.
class Door final : public io::Transport {
 public:
  Door(ApiServer& server, io::Loop& loop) : server_(&server), gateway_(server, loop, kToken) {}

  io::Task<Result<io::HttpResponse>> send(io::HttpRequest request,
                                          io::Deadline /*deadline*/) override {
    request.headers.emplace_back("Authorization", std::string("Bearer ") + kToken);
    io::StreamingResponse answer = co_await gateway_.answer(std::move(request));
    io::HttpResponse whole{answer.status, std::move(answer.headers), {}};
    for (;;) {
      auto piece = co_await answer.body->read(io::Deadline::never());
      if (!piece) co_return fail(std::move(piece.error()));
      if (piece->empty()) break;
      whole.body += *piece;
    }
    co_return whole;
  }

  io::Task<Result<io::StreamingResponse>> open(io::HttpRequest request,
                                               io::Deadline deadline) override {
    const std::string_view accept = io::find_header(request.headers, "Accept").value_or("");
    if (!accept.contains("as=")) co_return co_await server_->open(std::move(request), deadline);
    request.headers.emplace_back("Authorization", std::string("Bearer ") + kToken);
    co_return co_await gateway_.answer(std::move(request));
  }

 private:
  ApiServer* server_;
  Gateway gateway_;
};

io::Task<void> store(io::Task<std::vector<json::object>> task,
                     std::optional<std::vector<json::object>>& notes) {
  notes.emplace(co_await std::move(task));
}

}  // namespace

std::vector<json::object> play_in_simulator(const Script& script, const Kinds& kinds,
                                            const std::vector<json::object>& crds,
                                            const std::string& ns) {
  VirtualLoop loop(1);
  SeededRandom random(1);
  ApiServer server(loop, random);
  for (const std::string& name : {"default", "kube-system", "kube-public", "kube-node-lease"}) {
    server.add_namespace(name);
  }
  for (const json::object& crd : crds) {
    const ResourceType* type = server.registry().find(kube::kCustomResourceDefinitions);
    (void)server.operations().create(*type, "", crd, {});
  }
  server.operations().set_protects_volumes(true);
  std::optional<Cluster> cluster;
  if (script.controllers) {
    cluster.emplace(loop, server);
    cluster->scheduler().set_enabled(false);
    cluster->kubelet().set_enabled(false);
  } else {
    server.collector().set_enabled(false);
  }
  std::optional<std::vector<json::object>> notes;
  Door door(server, loop);
  Player player(door, loop, kinds, ns);
  io::Scope scope(loop);
  scope.spawn(store(player.play(script), notes));
  const Monotonic end = loop.now() + std::chrono::hours(2);
  while (!notes && loop.step(end)) {
  }
  if (!notes) return {{{"failed", "the simulator stands still"}}};
  return std::move(*notes);
}

}  // namespace davit::sim::differential
