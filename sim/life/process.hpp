// Process: one running Davit: the product's Operator with its own loop, and everything it reaches
// passed through the gate of that loop, so that a stopped process hears nothing.
//
// Destroying it is SIGKILL: nothing more is sent. One thread; borrows everything.
#pragma once

#include <functional>
#include <string>

#include "app/operator.hpp"
#include "sim/life/network.hpp"
#include "sim/life/process_loop.hpp"

namespace davit::sim {

// The API server as a process reaches it: over a network that may send a request twice, answer a
// list from the past, and spoil watches.
class ProcessTransport final : public io::Transport {
 public:
  ProcessTransport(ProcessLoop& loop, io::Transport& server, Network& network)
      : loop_(&loop), server_(&server), network_(&network) {}
  io::Task<Result<io::HttpResponse>> send(io::HttpRequest request, io::Deadline deadline) override;
  io::Task<Result<io::StreamingResponse>> open(io::HttpRequest request,
                                               io::Deadline deadline) override;

 private:
  ProcessLoop* loop_;
  io::Transport* server_;
  Network* network_;
};

// The Block Nodes as a process reaches them.
class ProcessProbe final : public blocknode::NodeProbe {
 public:
  ProcessProbe(ProcessLoop& loop, blocknode::NodeProbe& nodes) : loop_(&loop), nodes_(&nodes) {}
  io::Task<Result<blocknode::HealthReply>> health(blocknode::Address health,
                                                  io::Deadline deadline) override;
  io::Task<Result<blocknode::ServerStatus>> server_status(blocknode::Address grpc,
                                                          io::Deadline deadline) override;
  io::Task<Result<blocknode::ServerDetail>> server_detail(blocknode::Address grpc,
                                                          io::Deadline deadline) override;
  io::Task<Result<blocknode::BlockReply>> block(blocknode::Address grpc, std::uint64_t number,
                                                io::Deadline deadline) override;
  io::Task<Result<std::string>> metrics(blocknode::Address metrics, io::Deadline deadline) override;
  io::Task<Status> speaks(blocknode::Address port, io::Deadline deadline) override;
  io::Task<Result<std::string>> agent_report(blocknode::Address agent,
                                             io::Deadline deadline) override;

 private:
  template <typename T>
  io::Task<Result<T>> pass(io::Task<Result<T>> task);
  [[nodiscard]] io::Deadline outside(io::Deadline deadline) const {
    return {loop_->outside(deadline.at)};
  }

  ProcessLoop* loop_;
  blocknode::NodeProbe* nodes_;
};

struct Process {
  // `on_exception` is told what escaped; the process is to be ended then, between two callbacks.
  Process(io::Loop& below, std::uint64_t seed, io::Transport& server, Network& network,
          blocknode::NodeProbe& nodes, app::OperatorOptions options,
          const std::function<void(std::string_view)>* log_line,
          std::function<void(const std::string&)> on_exception);

  ProcessLoop loop;
  SeededRandom random;
  Metrics metrics;
  ProcessTransport api;
  ProcessProbe probe;
  app::Operator davit;
  io::Scope scope;  // last: what runs uses all of the above
};

}  // namespace davit::sim
