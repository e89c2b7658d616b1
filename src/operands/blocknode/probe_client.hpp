// ProbeClient: the NodeProbe of a real cluster: HTTP and gRPC to the pod's address.
//
// One connection per question, closed afterwards (the server's health listener takes only 100, and
// closes after each answer anyway). On the loop's thread; destroying a task closes its connection.
// Facts: blocknode.md §6.2 to §6.5. A metrics answer of 429 is kTooManyRequests with its
// Retry-After; any other status than 2xx is kUnavailable, but for health, where the status is the
// answer.
#pragma once

#include "io/asio_loop.hpp"
#include "operands/blocknode/node_probe.hpp"

namespace davit::blocknode {

class ProbeClient final : public NodeProbe {
 public:
  explicit ProbeClient(io::AsioLoop& loop) : loop_(&loop) {}

  io::Task<Result<HealthReply>> health(Address health, io::Deadline deadline) override;
  io::Task<Result<ServerStatus>> server_status(Address grpc, io::Deadline deadline) override;
  io::Task<Result<ServerDetail>> server_detail(Address grpc, io::Deadline deadline) override;
  io::Task<Result<BlockReply>> block(Address grpc, std::uint64_t number,
                                     io::Deadline deadline) override;
  io::Task<Result<std::string>> metrics(Address metrics, io::Deadline deadline) override;
  io::Task<Status> speaks(Address port, io::Deadline deadline) override;
  io::Task<Result<std::string>> agent_report(Address agent, io::Deadline deadline) override;

 private:
  io::Task<Result<io::HttpResponse>> get(Address address, std::string path, io::Deadline deadline);
  io::Task<Result<std::string>> text(Address address, std::string path, io::Deadline deadline);

  io::AsioLoop* loop_;
};

}  // namespace davit::blocknode
